// Splits work among torch's threads. Only parallel.cpp may compile at::parallel_for: it is a
// template, and compiled without OpenMP's flag it silently runs everything in the calling thread.
// Knows no tensors.
#pragma once

#include <c10/util/FunctionRef.h>

#include <cstdint>

namespace scalemark::workloads {

// Calls body(b, e) for parts [b, e) that cover [begin, end), on up to at::get_num_threads()
// threads; each part but the last has at least `grain` elements. Within a parallel region the
// calling thread does everything. The parts depend on the number of threads. Throws what a body
// throws.
void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain,
                  c10::function_ref<void(std::int64_t, std::int64_t)> body);

}  // namespace scalemark::workloads
