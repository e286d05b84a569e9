#include "engine/mpi/works.h"

#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>

#include <utility>

namespace scalemark::mpi {

c10::intrusive_ptr<c10::ivalue::Future> DoneWork::getFuture() {
  auto future = c10::make_intrusive<c10::ivalue::Future>(c10::ListType::ofTensors());
  future->markCompleted(c10::IValue(tensors_));
  return future;
}

// MPI still writes into, or reads from, the tensor of a message that nobody waited for.
MessageWork::~MessageWork() {
  try {
    if (!request_->done()) static_cast<void>(std::make_unique<at::Tensor>(tensor_).release());
  } catch (const std::exception&) {
    // The run ends on an error that the waiting side reports.
  }
}

bool MessageWork::isCompleted() { return request_->done(); }

bool MessageWork::wait(std::chrono::milliseconds) {
  request_->wait();
  return true;
}

}  // namespace scalemark::mpi
