// Seconds as doubles against std::chrono's steady clock. Knows nothing of what is being timed.
#pragma once

#include <chrono>
#include <cstdint>

namespace scalemark {

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Fractions of a millisecond are dropped.
inline std::chrono::milliseconds milliseconds_of(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1e3));
}

}  // namespace scalemark
