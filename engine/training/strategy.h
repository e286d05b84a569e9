// How the gradients of several ranks become one: the policy between forward, backward and the
// optimizer. Knows the process group it is given; nothing of batches, optimizers or reports.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Stream.h>
#include <c10/util/intrusive_ptr.h>

#include <cstdint>
#include <memory>
#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <vector>

#include "core/settings/settings.h"
#include "engine/measurement/step_timer.h"
#include "engine/training/parameters.h"

namespace scalemark::training {

// What is done with the buckets once they are full.
enum class Exchange {
  kOverlapped,  // all-reduced at once, while backward goes on
  kAfterwards,  // queued, and all-reduced when the last one is full (--overlap off)
  kNone,        // handed back as they are: the twin without communication, for T_noop
};

// What one synchronised step hands to the process group.
struct Communication {
  std::int64_t payload_bytes_per_step = 0;  // counted where the call is made: buckets and buffers
  std::vector<std::int64_t> bucket_bytes;   // in launch order
};

class GradientSync {
 public:
  virtual ~GradientSync() = default;

  // Of every micro-step, in this order. `synchronise`: true for the last micro-step of a step.
  // Marks kLastBucketReady when the last bucket leaves for the group. Throws configuration() (78)
  // for an unsynchronised micro-step under static_graph: c10d::Reducer cannot do both.
  virtual void before_forward(bool synchronise) = 0;
  virtual void before_backward(const at::Tensor& loss, bool synchronise,
                               measurement::StepMarker& marker) = 0;
  virtual void after_backward() = 0;

  // Between two steps; collective. Every rank's running statistics become rank 0's, which are those
  // that are saved, as the next forward would make them.
  virtual void before_evaluation() {}

  virtual bool gradients_are_bucket_views() const { return false; }

  // Of the last synchronised step; empty before it and without a group.
  virtual Communication communication() const { return {}; }

  // Changes what happens to buckets from the next step on. Without a group: nothing to change.
  virtual void set_exchange(Exchange) {}
};

// Throws bug() when gradients go over gloo from a stream that is not the device's default one: with
// tensors on a GPU, gloo is right only there.
void require_default_stream(const std::string& backend, c10::Stream current, c10::Stream standard);

// Strategy none: the true baseline, without a reducer. With N ranks, N independent replicas.
std::unique_ptr<GradientSync> make_no_sync();

// Strategy ddp over c10d::Reducer, equal to DistributedDataParallel's defaults where `settings` say
// nothing. Collective over `group`: verifies the parameters' shapes across ranks and broadcasts
// parameters and buffers from rank 0. The group must outlive nothing: it is shared.
std::unique_ptr<GradientSync> make_ddp_sync(const std::vector<NamedParameter>& parameters,
                                            const std::vector<at::Tensor>& buffers,
                                            c10::intrusive_ptr<c10d::ProcessGroup> group,
                                            const settings::ParallelSettings& settings);

}  // namespace scalemark::training
