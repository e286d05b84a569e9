// The results of MPI's calls as c10d takes them: of a collective that is done when its call
// returns, and of a message that is on its way. Knows no backend.
#pragma once

#include <memory>
#include <mutex>
#include <torch/csrc/distributed/c10d/Work.hpp>
#include <vector>

#include "engine/mpi/communicator.h"

namespace scalemark::mpi {

// Its future is made when it is asked for, as the reducer does; most callers only wait.
class DoneWork final : public c10d::Work {
 public:
  explicit DoneWork(std::vector<at::Tensor> tensors) : tensors_(std::move(tensors)) {}

  bool isCompleted() override { return true; }
  bool isSuccess() const override { return true; }
  bool wait(std::chrono::milliseconds) override { return true; }
  void synchronize() override {}
  std::vector<at::Tensor> result() override { return tensors_; }
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override;

 private:
  std::vector<at::Tensor> tensors_;
};

// Keeps the tensor until the message is done. It has no future: nothing would complete it but a
// thread that waits.
class MessageWork final : public c10d::Work {
 public:
  MessageWork(std::unique_ptr<Request> request, at::Tensor tensor)
      : request_(std::move(request)), tensor_(std::move(tensor)) {}
  ~MessageWork() override;

  bool isCompleted() override;
  bool isSuccess() const override { return true; }
  bool wait(std::chrono::milliseconds timeout) override;
  void synchronize() override {}
  std::vector<at::Tensor> result() override { return {tensor_}; }

 private:
  std::unique_ptr<Request> request_;
  at::Tensor tensor_;
};

}  // namespace scalemark::mpi
