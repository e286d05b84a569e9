// How much memory this process holds, as Linux counts it. Knows nothing of allocators or devices.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace scalemark::monitoring {

// Highest resident size since the process began or reset_peak_rss() was called. Throws
// system_error() where /proc cannot be read.
std::uint64_t peak_rss_bytes();
std::uint64_t rss_bytes();

// Gives free heap pages back and resets the peak, so that one point's peak does not count for the
// next. False where the kernel refuses (some sandboxes): the peak then remains that of the process.
bool reset_peak_rss();

// "VmHWM:   123 kB" of a /proc/self/status text, in bytes. Pure.
std::optional<std::uint64_t> kilobyte_field(std::string_view text, std::string_view field);

}  // namespace scalemark::monitoring
