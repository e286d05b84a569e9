#include "engine/mpi/mpi_backend.h"

#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <torch/csrc/distributed/c10d/Work.hpp>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "engine/mpi/communicator.h"
#include "engine/mpi/runtime.h"
#include "engine/mpi/tensors.h"

namespace scalemark::mpi {
namespace {

// The future is made only when somebody asks for it, as the reducer does; most callers only wait.
class DoneWork final : public c10d::Work {
 public:
  explicit DoneWork(std::vector<at::Tensor> tensors) : tensors_(std::move(tensors)) {}

  bool isCompleted() override { return true; }
  bool isSuccess() const override { return true; }
  bool wait(std::chrono::milliseconds) override { return true; }
  void synchronize() override {}
  std::vector<at::Tensor> result() override { return tensors_; }
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override {
    auto future = c10::make_intrusive<c10::ivalue::Future>(c10::ListType::ofTensors());
    future->markCompleted(c10::IValue(tensors_));
    return future;
  }

 private:
  std::vector<at::Tensor> tensors_;
};

// Keeps the tensor until the message is done. There is no future, since only a waiting thread could
// complete it.
class MessageWork final : public c10d::Work {
 public:
  MessageWork(std::unique_ptr<Request> request, at::Tensor tensor)
      : request_(std::move(request)), tensor_(std::move(tensor)) {}
  // MPI still writes into, or reads from, the tensor of a message for which nobody has waited.
  ~MessageWork() override {
    try {
      if (!request_->done()) static_cast<void>(std::make_unique<at::Tensor>(tensor_).release());
    } catch (const std::exception&) {
      // The run ends with an error that the waiting side reports.
    }
  }

  bool isCompleted() override { return request_->done(); }
  bool isSuccess() const override { return true; }
  bool wait(std::chrono::milliseconds) override {
    request_->wait();
    return true;
  }
  void synchronize() override {}
  std::vector<at::Tensor> result() override { return {tensor_}; }

 private:
  std::unique_ptr<Request> request_;
  at::Tensor tensor_;
};

using WorkPtr = MpiBackend::WorkPtr;

void average(at::Tensor& tensor, const c10d::ReduceOp& op, int ranks) {
  if (!averages(op)) return;
  if (!tensor.is_floating_point()) {
    throw configuration("--backend mpi: an average of whole numbers", "an average of floats",
                        "sum them, and divide");
  }
  tensor.div_(ranks);
}

void require_parts(std::int64_t whole, std::int64_t part, int ranks) {
  if (whole == part * ranks) return;
  throw bug("a collective of " + std::to_string(ranks) + " parts of " + std::to_string(part) +
            " elements got a tensor of " + std::to_string(whole));
}

}  // namespace

MpiBackend::MpiBackend(const std::vector<int>& members, int rank)
    : c10d::Backend(rank, static_cast<int>(members.size())), communicator_(members) {
  if (communicator_.rank() != rank) throw bug("MPI orders the members of a group differently");
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Process& process = processes().at(static_cast<std::size_t>(members[i]));
    if (static_cast<int>(i) == rank) {
      own_ = process;
    } else {
      others_.push_back(process);
    }
  }
}

WorkPtr MpiBackend::done(const Tensors& tensors) { return c10::make_intrusive<DoneWork>(tensors); }

void MpiBackend::reduce_in_place(at::Tensor& tensor, const c10d::ReduceOp& op) {
  void* data = tensor.mutable_data_ptr();
  communicator_.all_reduce(data, data, tensor.numel(), type_of(tensor), operation_of(op));
  average(tensor, op, getSize());
}

WorkPtr MpiBackend::allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) {
  at::Tensor& tensor = only(tensors);
  ++begun_;
  reduce_in_place(tensor, options.reduceOp);
  return done(tensors);
}

WorkPtr MpiBackend::broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) {
  at::Tensor& tensor = only(tensors);
  ++begun_;
  communicator_.broadcast(tensor.mutable_data_ptr(), tensor.numel(), type_of(tensor),
                          static_cast<int>(options.rootRank));
  return done(tensors);
}

WorkPtr MpiBackend::reduce(Tensors& tensors, const c10d::ReduceOptions& options) {
  at::Tensor& tensor = only(tensors);
  ++begun_;
  const int root = static_cast<int>(options.rootRank);
  void* data = tensor.mutable_data_ptr();
  communicator_.reduce(data, data, tensor.numel(), type_of(tensor), operation_of(options.reduceOp),
                       root);
  if (getRank() == root) average(tensor, options.reduceOp, getSize());
  return done(tensors);
}

WorkPtr MpiBackend::_allgather_base(at::Tensor& output, at::Tensor& input,
                                    const c10d::AllgatherOptions&) {
  require_contiguous(output);
  require_contiguous(input);
  require_parts(output.numel(), input.numel(), getSize());
  ++begun_;
  communicator_.all_gather(input.const_data_ptr(), output.mutable_data_ptr(), input.numel(),
                           type_of(input));
  return done({output});
}

WorkPtr MpiBackend::allgather(TensorLists& outputs, Tensors& inputs,
                              const c10d::AllgatherOptions&) {
  const at::Tensor& input = only(inputs);
  Tensors& parts = outputs.at(0);
  at::Tensor whole = at::empty({input.numel() * getSize()}, input.options());
  require_parts(std::ssize(parts), 1, getSize());
  ++begun_;
  communicator_.all_gather(input.contiguous().const_data_ptr(), whole.mutable_data_ptr(),
                           input.numel(), type_of(input));
  split_into(whole, parts);
  return done(parts);
}

WorkPtr MpiBackend::gather(TensorLists& outputs, Tensors& inputs,
                           const c10d::GatherOptions& options) {
  const at::Tensor& input = only(inputs);
  const int root = static_cast<int>(options.rootRank);
  const bool receives = getRank() == root;
  at::Tensor whole = at::empty({receives ? input.numel() * getSize() : 0}, input.options());
  ++begun_;
  communicator_.gather(input.contiguous().const_data_ptr(), whole.mutable_data_ptr(), input.numel(),
                       type_of(input), root);
  if (!receives) return done({});
  split_into(whole, outputs.at(0));
  return done(outputs[0]);
}

WorkPtr MpiBackend::scatter(Tensors& outputs, TensorLists& inputs,
                            const c10d::ScatterOptions& options) {
  at::Tensor& output = only(outputs);
  require_contiguous(output);
  const int root = static_cast<int>(options.rootRank);
  const at::Tensor whole = getRank() == root ? joined(inputs.at(0)) : at::Tensor();
  ++begun_;
  communicator_.scatter(whole.defined() ? whole.const_data_ptr() : nullptr,
                        output.mutable_data_ptr(), output.numel(), type_of(output), root);
  return done(outputs);
}

WorkPtr MpiBackend::_reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                                         const c10d::ReduceScatterOptions& options) {
  require_contiguous(output);
  require_contiguous(input);
  require_parts(input.numel(), output.numel(), getSize());
  ++begun_;
  communicator_.reduce_scatter(input.const_data_ptr(), output.mutable_data_ptr(), output.numel(),
                               type_of(input), operation_of(options.reduceOp));
  average(output, options.reduceOp, getSize());
  return done({output});
}

WorkPtr MpiBackend::alltoall_base(at::Tensor& output, at::Tensor& input,
                                  std::vector<std::int64_t>& output_sizes,
                                  std::vector<std::int64_t>& input_sizes,
                                  const c10d::AllToAllOptions&) {
  require_contiguous(output);
  require_contiguous(input);
  require_parts(input.numel(), input.numel() / getSize(), getSize());
  if (!output_sizes.empty() || !input_sizes.empty()) throw bug("an all-to-all of unequal parts");
  ++begun_;
  communicator_.all_to_all(input.const_data_ptr(), output.mutable_data_ptr(),
                           input.numel() / getSize(), type_of(input));
  return done({output});
}

WorkPtr MpiBackend::send(Tensors& tensors, int to, int tag) {
  const at::Tensor& tensor = only(tensors);
  return c10::make_intrusive<MessageWork>(
      communicator_.send(tensor.const_data_ptr(), tensor.numel(), type_of(tensor), to, tag),
      tensor);
}

WorkPtr MpiBackend::recv(Tensors& tensors, int from, int tag) {
  const at::Tensor& tensor = only(tensors);
  return c10::make_intrusive<MessageWork>(
      communicator_.receive(tensor.mutable_data_ptr(), tensor.numel(), type_of(tensor), from, tag),
      tensor);
}

WorkPtr MpiBackend::barrier(const c10d::BarrierOptions&) {
  ++begun_;
  communicator_.barrier();
  return done({});
}

c10d::ErrorType MpiBackend::getError() {
  const bool lost = std::ranges::any_of(
      others_, [&](const Process& process) { return has_ended(process, own_); });
  return lost ? c10d::ErrorType::REMOTE_ERROR : c10d::ErrorType::SUCCESS;
}

}  // namespace scalemark::mpi
