// Spreads independent pieces of work over threads. Knows nothing of what they do.
#pragma once

#include <cstddef>
#include <functional>

namespace scalemark::data {

// Calls work(0) to work(count - 1), each once, from the calling thread and `threads` - 1 others.
// After one has thrown none begins any more, and what it threw is thrown here.
void in_threads(std::size_t count, int threads, const std::function<void(std::size_t)>& work);

}  // namespace scalemark::data
