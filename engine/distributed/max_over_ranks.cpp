#include "engine/distributed/max_over_ranks.h"

#include <ATen/ops/from_blob.h>

namespace scalemark::distributed {

void max_over_ranks(c10d::ProcessGroup& group, std::vector<double>& values,
                    std::chrono::milliseconds timeout, ErrorStore& error_store,
                    std::chrono::milliseconds cause_limit) {
  if (group.getSize() == 1 || values.empty()) return;
  try {
    std::vector<at::Tensor> tensors{at::from_blob(values.data(),
                                                  {static_cast<std::int64_t>(values.size())},
                                                  at::TensorOptions().dtype(at::kDouble))};
    c10d::AllreduceOptions options;
    options.reduceOp = c10d::ReduceOp::MAX;
    options.timeout = timeout;
    group.getBackend(c10::DeviceType::CPU)->allreduce(tensors, options)->wait();
  } catch (...) {
    throw translate_collective_error(std::current_exception(), error_store, cause_limit);
  }
}

}  // namespace scalemark::distributed
