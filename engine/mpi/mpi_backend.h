// MPI as a c10d backend. A collective runs to its end inside the call, on the caller's thread:
// handing it to another thread costs as much as a small all-reduce, and on a CPU the thread that
// waits in MPI takes a core from the computation that it would overlap with. Messages between two
// ranks do not block. Knows no mpi.h and no settings.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <vector>

#include "engine/mpi/communicator.h"
#include "engine/mpi/peers.h"

namespace scalemark::mpi {

// Tensors are on a CPU, contiguous (for all-reduce, broadcast and reduce: dense), with one of
// DataType's types. Operations: SUM, AVG (of floats), MIN, MAX. Anything else is refused as c10d
// refuses it.
class MpiBackend final : public c10d::Backend {
 public:
  using Tensors = std::vector<at::Tensor>;
  using TensorLists = std::vector<Tensors>;
  using WorkPtr = c10::intrusive_ptr<c10d::Work>;

  // Collective over `members`, which are ranks of the world; this one is number `rank` among them.
  MpiBackend(const std::vector<int>& members, int rank);

  const std::string getBackendName() const override { return "mpi"; }
  Communicator& communicator() { return communicator_; }

  WorkPtr allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) override;
  WorkPtr broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) override;
  WorkPtr reduce(Tensors& tensors, const c10d::ReduceOptions& options) override;
  WorkPtr allgather(TensorLists& outputs, Tensors& inputs,
                    const c10d::AllgatherOptions& options) override;
  WorkPtr _allgather_base(at::Tensor& output, at::Tensor& input,
                          const c10d::AllgatherOptions& options) override;
  WorkPtr gather(TensorLists& outputs, Tensors& inputs,
                 const c10d::GatherOptions& options) override;
  WorkPtr scatter(Tensors& outputs, TensorLists& inputs,
                  const c10d::ScatterOptions& options) override;
  WorkPtr _reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                               const c10d::ReduceScatterOptions& options) override;
  // Takes equal parts only, without sizes.
  WorkPtr alltoall_base(at::Tensor& output, at::Tensor& input,
                        std::vector<std::int64_t>& output_sizes,
                        std::vector<std::int64_t>& input_sizes,
                        const c10d::AllToAllOptions& options) override;
  WorkPtr send(Tensors& tensors, int to, int tag) override;
  WorkPtr recv(Tensors& tensors, int from, int tag) override;
  WorkPtr barrier(const c10d::BarrierOptions& options) override;

  void setSequenceNumberForGroup() override {}
  std::uint64_t getSequenceNumberForGroup() override { return begun_; }

  // Returns REMOTE_ERROR when the process of a member on this machine has ended. Any thread may
  // call it.
  c10d::ErrorType getError() override;
  // Ends a healthy backend, collectively: the communicator goes back to MPI. Nothing can abort an
  // MPI call that is stuck.
  void shutdown() override { communicator_.free(); }

 private:
  WorkPtr done(const Tensors& tensors);
  void reduce_in_place(at::Tensor& tensor, const c10d::ReduceOp& op);

  Communicator communicator_;
  Process own_;
  std::vector<Process> others_;
  std::atomic<std::uint64_t> begun_{0};
};

}  // namespace scalemark::mpi
