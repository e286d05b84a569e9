// The stretches that the program timed: a chain of cudaEventElapsedTime calls, each from the end of
// the one before, is one window from its first event to its last. So a measured window is found
// without help from the program. A single pair is no window: cuDNN times its plan search with one.
#pragma once

#include <vector>

#include "events.h"

namespace nullcuda {

struct Window {
  const Event* last_event = nullptr;  // compared only: it may be gone
  std::size_t marks = 0;
  std::size_t journal_begin = 0, journal_end = 0;
  double seconds = 0;
  Alive alive_at_begin;
};

void note_elapsed(const Event& from, const Event& to, double seconds);
std::vector<Window> windows();  // each has three marks or more

}  // namespace nullcuda
