// Peak resident memory of this process, resettable. Linux only.
#pragma once

#include <cstdint>

namespace scalemark::monitoring {

// Peak RSS since the last reset (VmHWM), in bytes; 0 when /proc cannot be read.
std::uint64_t peak_rss_bytes();

// Gives freed memory back to the kernel and sets the peak to the present RSS, so that one point's
// peak is not the next one's.
void reset_peak_rss();

}  // namespace scalemark::monitoring
