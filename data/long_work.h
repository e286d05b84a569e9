// Long work over data: its pieces are spread over threads, it signals that it goes on, and it holds
// the folder that it writes to. Knows nothing of what is made.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>

#include "core/base/atomic_file.h"

namespace scalemark::data {

// The progress signal of long work: the working thread calls it now and then, so it must cost
// almost nothing. Only the caller that passes it knows what it does.
using Progress = std::function<void()>;

inline void still_alive(const Progress& progress) {
  if (progress) progress();
}

// Calls work(0) to work(count - 1), each once, from the calling thread and `threads` - 1 others.
// After one has thrown none begins any more, and what it threw is thrown here.
void in_threads(std::size_t count, int threads, const std::function<void(std::size_t)>& work);

// Looks at the folder that generated data are to go to: throws cannot_create (73) where `dir` is a
// file, or a folder with something in it and `overwrite` is false.
void refuse_non_empty(const std::filesystem::path& dir, bool overwrite);

// The same; then makes the folder, with those above it, and holds it for as long as the result
// lives: of two processes that make data in one folder the later is refused (73), too. On file
// systems without locks there is none.
Descriptor lock_output_folder(const std::filesystem::path& dir, bool overwrite);

}  // namespace scalemark::data
