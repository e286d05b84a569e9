#include "engine/step/data_parallel.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/ThreadLocalState.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/Generator.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_copy.h>
#include <ATen/ops/cat.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/nn/module.h>

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/threads.h"
#include "engine/step/copy_ahead.h"
#include "engine/step/parameters.h"
#include "engine/step/strategy.h"

namespace scalemark::training {
namespace {

// Autocast's types, which at::ThreadLocalState does not hold.
class AutocastTypes {
 public:
  AutocastTypes() {
    for (std::size_t i = 0; i < kDevices.size(); ++i) {
      types_[i] = at::autocast::get_autocast_dtype(kDevices[i]);
    }
  }
  void set() const {
    for (std::size_t i = 0; i < kDevices.size(); ++i) {
      at::autocast::set_autocast_dtype(kDevices[i], types_[i]);
    }
  }

 private:
  static constexpr std::array kDevices{at::kCPU, at::kCUDA};
  std::array<at::ScalarType, kDevices.size()> types_{};
};

// Sets the number for this thread only. Torch sets the process's number in each thread that
// computes for the first time, so that must have happened before.
void set_own_intra_op_threads(int threads) {
  at::get_num_threads();
  at::internal::lazy_init_num_threads();
  at::set_num_threads(threads);
}

}  // namespace

ReplicaThreads::ReplicaThreads(std::size_t count, int intra_op)
    : before_(at::get_num_threads()), running_(count), errors_(count) {
  try {
    for (std::size_t i = 0; i < count; ++i) {
      threads_.emplace_back([this, i, intra_op] { serve(i, intra_op); });
    }
  } catch (...) {  // the system starts no more threads
    stop();
    throw;
  }
  std::unique_lock lock(mutex_);
  wait_until_true(end_, lock, [this] { return running_ == 0; });
  at::set_num_threads(intra_op * static_cast<int>(count));
}

ReplicaThreads::~ReplicaThreads() {
  stop();
  at::set_num_threads(before_);
}

void ReplicaThreads::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  begin_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ReplicaThreads::run(const Task& task) {
  const at::ThreadLocalState modes;
  const AutocastTypes types;
  const Task in_modes = [&](std::size_t replica) {
    const at::ThreadLocalStateGuard guard(modes);
    types.set();
    task(replica);
  };
  {
    std::unique_lock lock(mutex_);
    errors_.assign(threads_.size(), nullptr);
    task_ = &in_modes;
    running_ = threads_.size();
    ++round_;
    begin_.notify_all();
    wait_until_true(end_, lock, [this] { return running_ == 0; });
  }
  for (const std::exception_ptr& error : errors_) {
    if (error) std::rethrow_exception(error);
  }
}

void ReplicaThreads::serve(std::size_t replica, int intra_op) {
  std::unique_lock lock(mutex_);
  set_own_intra_op_threads(intra_op);
  for (std::uint64_t seen = 0;; seen = round_) {
    if (--running_ == 0) end_.notify_one();
    wait_until_true(begin_, lock, [&] { return stopped_ || round_ != seen; });
    if (stopped_) return;
    const Task& task = *task_;
    lock.unlock();
    run_one(replica, task);
    lock.lock();
  }
}

void ReplicaThreads::run_one(std::size_t replica, const Task& task) {
  try {
    task(replica);
  } catch (...) {
    errors_[replica] = std::current_exception();
  }
}

namespace {

using Tensors = std::vector<at::Tensor>;

struct Replica {
  c10::Device device;
  std::unique_ptr<workloads::Network> network;
  Tensors parameters;
  Tensors state;  // parameters and buffers, in the order in which they are copied
};

Tensors state_of(const Tensors& parameters, const Tensors& buffers) {
  Tensors state;
  for (const at::Tensor& parameter : parameters) state.push_back(parameter.detach());
  state.insert(state.end(), buffers.begin(), buffers.end());
  return state;
}

void require_devices(c10::Device first, int replicas) {
  if (first.is_cpu()) return;
  const int devices = c10::impl::VirtualGuardImpl(first.type()).deviceCount() - first.index();
  if (devices < replicas) {
    throw configuration("--strategy data-parallel with " + std::to_string(replicas) +
                            " replicas sees " + std::to_string(devices) + " GPU(s)",
                        "one GPU for each replica", "lower --nproc-per-node or --world-sizes");
  }
}

// Joins the replicas' rows for each kind of output, on the first replica's device.
workloads::Outputs gathered(const std::vector<workloads::Outputs>& of_replicas,
                            c10::Device device) {
  workloads::Outputs whole;
  for (std::size_t kind = 0; kind < of_replicas.front().size(); ++kind) {
    Tensors parts;
    for (const workloads::Outputs& outputs : of_replicas) {
      parts.push_back(outputs[kind].to(device, outputs[kind].scalar_type(), /*non_blocking=*/true));
    }
    whole.push_back(at::cat(parts));
  }
  return whole;
}

// Strategy data-parallel is torch.nn.DataParallel's scheme: every forward copies the first network
// to the others, and each replica computes its share of the batch in a thread of its own. The loss
// is computed from all outputs on the first device; the gradients are added up there, where the
// only optimizer is.
class DataParallel final : public Strategy {
 public:
  explicit DataParallel(const StrategyInput& input)
      : Strategy(input.parameters),
        device_(input.parameters.front().tensor.device()),
        state_(state_of(tensors_of(input.parameters), input.buffers)) {
    require_devices(device_, input.replicas);
    for (int i = 1; i < input.replicas; ++i) add_replica(input, i);
    if (!others_.empty()) threads_.emplace(others_.size() + 1, at::get_num_threads());
  }

  void before_forward(bool synchronise) override {
    if (begins_step_) payload_bytes_ = 0;
    begins_step_ = synchronise;
    payload_bytes_ += bytes_of(state_) * std::ssize(others_);
    if (exchange_ == Exchange::kNone) return;
    const at::NoGradGuard no_grad;
    for (Replica& other : others_) {
      at::_foreach_copy_(other.state, state_, /*non_blocking=*/true);
    }
  }

  workloads::Outputs forward(workloads::Network& network, const data::Batch& batch) override {
    if (others_.empty()) return network.forward(batch);
    if (batch.shares.size() != others_.size() + 1) throw bug("not a share for each replica");
    std::vector<workloads::Outputs> outputs(batch.shares.size());
    threads_->run([&](std::size_t i) {
      const c10::Device device = i == 0 ? device_ : others_[i - 1].device;
      const c10::DeviceGuard guard(device);
      data::Batch share = share_of(batch, i);
      data::to_device(share, device);
      outputs[i] = (i == 0 ? network : *others_[i - 1].network).forward(share);
    });
    return gathered(outputs, device_);
  }

  void before_backward(const at::Tensor&, bool, measurement::StepMarker& marker) override {
    marker_ = &marker;
  }

  void after_backward() override {
    if (others_.empty()) return;
    marker_->mark(measurement::Moment::kLastBucketReady);
    const at::NoGradGuard no_grad;
    for (Replica& other : others_) add_gradients_of(other);
  }

  Communication communication() const override {
    return {.payload_bytes_per_step = payload_bytes_, .bucket_bytes = {}};
  }

  void set_exchange(Exchange exchange) override { exchange_ = exchange; }

  // On a CPU all replicas share the process's generator.
  void visit_state(StateVisitor& visitor) override {
    if (device_.is_cpu()) return;
    for (const Replica& other : others_) {
      at::Generator generator = at::globalContext().defaultGenerator(other.device);
      const std::lock_guard lock(generator.mutex());
      at::Tensor state = generator.get_state();
      visitor.visit("strategy.random." + std::to_string(other.device.index()), state);
      generator.set_state(state);
    }
  }

 private:
  void add_replica(const StrategyInput& input, int i) {
    Replica replica{.device = device_of_replica(device_, i)};
    replica.network = input.make_replica(replica.device);
    torch::nn::Module& module = replica.network->module();
    replica.parameters = tensors_of(trainable_parameters(module));
    replica.state = state_of(replica.parameters, buffers_of(module));
    others_.push_back(std::move(replica));
  }

  // The replica's gradients are dropped: the next backward makes new ones, as Python's DataParallel
  // does.
  void add_gradients_of(Replica& other) {
    Tensors sums, parts;
    for (std::size_t k = 0; k < parameters_.size(); ++k) {
      const at::Tensor part = std::exchange(other.parameters[k].mutable_grad(), {});
      if (!part.defined()) continue;
      payload_bytes_ += bytes_of(part);
      if (exchange_ == Exchange::kNone) continue;
      const at::Tensor here = part.to(device_, part.scalar_type(), /*non_blocking=*/true);
      at::Tensor& sum = parameters_[k].tensor.mutable_grad();
      if (!sum.defined()) {
        sum = here;
        continue;
      }
      sums.push_back(sum);
      parts.push_back(here);
    }
    if (!sums.empty()) at::_foreach_add_(sums, parts);
  }

  c10::Device device_;
  Tensors state_;
  std::vector<Replica> others_;
  std::optional<ReplicaThreads> threads_;
  measurement::StepMarker* marker_ = nullptr;  // marks the running backward
  Exchange exchange_ = Exchange::kOverlapped;
  bool begins_step_ = true;  // the next forward begins a step
  std::int64_t payload_bytes_ = 0;
};

}  // namespace

c10::Device device_of_replica(c10::Device first, int i) {
  if (first.is_cpu()) return first;
  return {first.type(), static_cast<c10::DeviceIndex>(first.index() + i)};
}

std::unique_ptr<Strategy> make_data_parallel(StrategyInput input) {
  return std::make_unique<DataParallel>(input);
}

}  // namespace scalemark::training
