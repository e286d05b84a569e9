// Sizes of memory as people read and type them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace scalemark {

// "512 bytes", "12.3 MiB", "1.50 GiB": small ones in small units, as "0.00 GiB" explains nothing.
std::string readable_bytes(std::uint64_t bytes);

// "512MiB", "2GB", "4096B" -> bytes: powers of 1024 with an i, of 1000 without. Absent for anything
// else: no unit, no whole number, none at all, or more than int64 holds.
std::optional<std::int64_t> parse_byte_size(std::string_view text);

}  // namespace scalemark
