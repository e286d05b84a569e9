#include "workloads/layers/parallel.h"

#include <ATen/Parallel.h>

#ifndef _OPENMP
#error "compile this file with -fopenmp: torch's threads are OpenMP's"
#endif

namespace scalemark::workloads {

void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain,
                  c10::function_ref<void(std::int64_t, std::int64_t)> body) {
  at::parallel_for(begin, end, grain, [&](std::int64_t b, std::int64_t e) { body(b, e); });
}

}  // namespace scalemark::workloads
