// Seconds as doubles, by std::chrono's clocks. Knows nothing of what is being timed.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace scalemark {

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// By the wall clock.
inline double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// A deadline's length: at least 1 ms, since some calls read zero as "for ever" or "never", and at
// most 2,000,000 s (23 days), which still fits an int of milliseconds and, added to any clock, 64
// bits of nanoseconds. Fractions of a millisecond are dropped.
inline std::chrono::milliseconds milliseconds_of(double seconds) {
  constexpr double kShortest_s = 1e-3, kLongest_s = 2e6;
  return std::chrono::milliseconds(
      static_cast<std::int64_t>(std::clamp(seconds, kShortest_s, kLongest_s) * 1e3));
}

}  // namespace scalemark
