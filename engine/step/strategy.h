// How several ranks train one model: what a strategy does around forward, backward and update
// beyond the arithmetic of one rank, how all ranks start with one model, and the strategies' names.
// Knows the process group it is given, but nothing of optimizers or reports. The descriptors are in
// core/catalogue/strategy.h.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/Stream.h>
#include <c10/util/intrusive_ptr.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <utility>
#include <vector>

#include "core/settings/settings.h"
#include "data/load/batch.h"
#include "engine/step/measurement/step_timer.h"
#include "engine/step/parameters.h"
#include "workloads/networks/network.h"

namespace scalemark::training {

// The ways in which the collectives of a step are handled.
enum class Exchange {
  kOverlapped,  // gradient buckets are sent at once, while backward runs
  kAfterwards,  // buckets are queued and sent when the last one is full (--overlap off)
  kNone,        // every collective returns at once, unsent: a run without communication (T_noop)
};

// One synchronised step's traffic through the process group.
struct Communication {
  std::int64_t payload_bytes_per_step = 0;  // counted at the call of any collective
  std::vector<std::int64_t> bucket_bytes;   // listed in launch order
};

struct StrategyInput {
  std::vector<NamedParameter> parameters;
  std::vector<at::Tensor> buffers;
  c10::intrusive_ptr<c10d::ProcessGroup> group;  // empty where nothing is exchanged
  settings::ParallelSettings settings;
  // The number of replicas that a process trains, and how another one is made: in train mode on its
  // device, with any weights.
  int replicas = 1;
  std::function<std::unique_ptr<workloads::Network>(c10::Device)> make_replica;
};

class Strategy {
 public:
  explicit Strategy(std::vector<NamedParameter> parameters) : parameters_(std::move(parameters)) {}
  virtual ~Strategy() = default;

  // Returns what this rank's optimizer updates: all parameters unless the strategy divides them.
  // Empty where another rank updates them all.
  virtual const std::vector<NamedParameter>& optimizer_parameters() const { return parameters_; }

  // Whether this process computes gradients. A dedicated server does not: it takes part in every
  // call below, with a loss of 0 and without batches.
  virtual bool computes() const { return true; }

  // Called in every micro-step, in this order. `synchronise`: true for the last micro-step of a
  // step. They mark kLastBucketReady when the last bucket is handed to the group. Gradients are
  // complete, on the device's timeline, after after_backward(). They throw configuration() (78)
  // where the settings cannot be combined with an unsynchronised micro-step.
  virtual void before_forward(bool /*synchronise*/) {}
  virtual workloads::Outputs forward(workloads::Network& network, const data::Batch& batch) {
    return network.forward(batch);
  }
  virtual void before_backward(const at::Tensor& /*loss*/, bool /*synchronise*/,
                               measurement::StepMarker&) {}
  virtual void after_backward() {}

  // Returns the gradient from which backward starts; undefined: 1.
  virtual at::Tensor backward_seed(const at::Tensor& /*loss*/) { return {}; }

  // Turn the norm of the gradients that this rank's optimizer sees, and their "any infinity" (0 or
  // 1), into those of all gradients. Both scalars stay on the device.
  virtual at::Tensor norm_over_ranks(const at::Tensor& norm) { return norm; }
  virtual void infinity_over_ranks(at::Tensor& /*found_inf*/) {}

  // Returns the function for this rank's optimizer; empty where it has whole matrices. It must not
  // be called after the strategy is gone.
  virtual WholeNorms whole_norms() { return {}; }

  // Called after the optimizer. A strategy that sends parameters to other ranks marks kUpdateEnd
  // first; others do nothing here.
  virtual void after_update(measurement::StepMarker&) {}

  // Called between two steps; collective. Every rank's running statistics become rank 0's, which
  // are the saved ones, where no later step reads a rank's own.
  virtual void share_statistics() {}

  // Called between two steps; collective. Every rank's network becomes the one to be evaluated.
  virtual void before_evaluation() { share_statistics(); }

  // Called between two steps; collective. Afterwards the network of rank 0 is complete and can be
  // saved.
  virtual void gather_full() {}

  // Whether gradients stay defined between steps, as views that the next backward adds to.
  virtual bool keeps_gradients() const { return false; }

  // Describes the last synchronised step; empty before it and where nothing is exchanged.
  virtual Communication communication() const { return {}; }

  // Changes how collectives are handled from the next step on. Without a group there is nothing to
  // change.
  virtual void set_exchange(Exchange) {}

  // Reports gradient buckets to the observer from the next step on; null ends that. A strategy
  // without buckets ignores the call.
  virtual void observe_buckets(std::shared_ptr<measurement::BucketObserver>) {}

  // Visits the state that the next step needs from earlier steps.
  virtual void visit_state(StateVisitor&) {}

 protected:
  std::vector<NamedParameter> parameters_;
};

// Returns the device of replica `i` of a process whose first replica is on `first`: a CPU computes
// all of them, GPUs are taken in order from `first` on.
c10::Device device_of_replica(c10::Device first, int i);

// Makes the strategy named by `settings.strategy`. With a group it is collective: verifies the
// parameters' shapes across ranks and broadcasts parameters and buffers from rank 0. Ownership of
// the group is shared. Throws bug() for a strategy that exchanges and has no group.
std::unique_ptr<Strategy> make_strategy(StrategyInput input);

// Throws bug() when gradients go over gloo from a stream that is not the device's default one: for
// tensors on a GPU, gloo is correct only there.
void require_default_stream(const std::string& backend, c10::Stream current, c10::Stream standard);

// --- The rest is shared by strategies in which each rank has the whole model.

// Collective. Broadcasts like DistributedDataParallel: coalesced, 250 MiB at a time.
void broadcast_from_rank_0(const c10::intrusive_ptr<c10d::ProcessGroup>& group,
                           const std::vector<at::Tensor>& tensors);

// Collective. Broadcasts each tensor by itself, in place: for few large ones.
void broadcast_each_from_rank_0(const c10::intrusive_ptr<c10d::ProcessGroup>& group,
                                const std::vector<at::Tensor>& tensors);

// Collective. Verifies shapes across ranks; then every rank's parameters become rank 0's, and its
// buffers too where --broadcast-buffers is on.
void start_alike(const StrategyInput& input);

}  // namespace scalemark::training
