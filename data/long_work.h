// Long work over data: spreads its pieces over threads, signals progress, and locks its output
// folder. Knows nothing of what is made.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>

#include "core/base/atomic_file.h"

namespace scalemark::data {

// The progress signal of long work. The working thread calls it now and then, so it must cost
// almost nothing. Only the caller that passes it knows its meaning.
using Progress = std::function<void()>;

inline void still_alive(const Progress& progress) {
  if (progress) progress();
}

// Calls work(0) to work(count - 1), each once, on the calling thread and `threads` - 1 others.
// After an exception no further call begins, and the exception is thrown here.
void in_threads(std::size_t count, int threads, const std::function<void(std::size_t)>& work);

// Checks the folder for generated data: throws cannot_create (73) where `dir` is a file, or a
// folder with something in it and `overwrite` is false.
void refuse_non_empty(const std::filesystem::path& dir, bool overwrite);

// Does the same, then makes the folder and its parents and locks it while the result lives: of two
// processes that make data in one folder the later is refused (73), too. File systems without locks
// cannot do this.
Descriptor lock_output_folder(const std::filesystem::path& dir, bool overwrite);

}  // namespace scalemark::data
