// The progress signal of long work: the working thread calls it now and then, so it must cost
// almost nothing. Only the caller that passes it knows what it does.
#pragma once

#include <functional>

namespace scalemark::data {

using Progress = std::function<void()>;

inline void still_alive(const Progress& progress) {
  if (progress) progress();
}

}  // namespace scalemark::data
