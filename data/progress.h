// A sign of life of work that takes long: called now and then by the thread that does it, so it
// must cost next to nothing. Whoever gives it knows what it means; here nobody does.
#pragma once

#include <functional>

namespace scalemark::data {

using Progress = std::function<void()>;

inline void still_alive(const Progress& progress) {
  if (progress) progress();
}

}  // namespace scalemark::data
