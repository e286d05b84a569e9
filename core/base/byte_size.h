// Sizes of memory as people read them. Knows binary units only, like the options that take sizes.
#pragma once

#include <cstdint>
#include <string>

namespace scalemark {

// "512 bytes", "12.3 MiB", "1.50 GiB": small ones in small units, as "0.00 GiB" explains nothing.
std::string readable_bytes(std::uint64_t bytes);

}  // namespace scalemark
