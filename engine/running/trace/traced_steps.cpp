#include "engine/running/trace/traced_steps.h"

#include <ATen/record_function.h>
#include <torch/csrc/profiler/kineto_shim.h>

#include <cstdio>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "engine/measurement/range_marker.h"
#include "engine/measurement/window_timer.h"

namespace scalemark::running {
namespace {

namespace kineto = torch::autograd::profiler;
using torch::profiler::impl::ActivityType;
using torch::profiler::impl::ProfilerConfig;
using torch::profiler::impl::ProfilerState;

class TraceRanges final : public device::Ranges {
 public:
  void begin_step(std::int64_t step) override { open("ProfilerStep#" + std::to_string(step)); }
  void begin(const char* name) override { open(name); }
  void end() override { open_.pop_back(); }

 private:
  // Makes what Python's record_function() makes: the trace's category "user_annotation".
  void open(std::string name) {
    auto range = std::make_unique<at::RecordFunction>(at::RecordScope::USER_SCOPE);
    if (range->isActive()) range->before(std::move(name));
    open_.push_back(std::move(range));
  }

  std::vector<std::unique_ptr<at::RecordFunction>> open_;
};

// Makes an id like Python's default: 32 hexadecimal digits.
std::string random_id() {
  std::random_device random;
  std::string id;
  for (int i = 0; i < 4; ++i) {
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08X", random());
    id += digits;
  }
  return id;
}

ProfilerConfig new_config() {
  return ProfilerConfig(ProfilerState::KINETO, /*report_input_shapes=*/false,
                        /*profile_memory=*/false, /*with_stack=*/false, /*with_flops=*/false,
                        /*with_modules=*/false, {}, random_id());
}

// Ends the profiler where a step throws.
class Recording {
 public:
  explicit Recording(bool cuda) {
    if (cuda) activities_.insert(ActivityType::CUDA);
    kineto::prepareProfiler(config_, activities_);
  }
  ~Recording() {
    if (!is_on_) return;
    try {
      kineto::disableProfiler();
    } catch (...) {  // what the step threw says more
    }
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  void begin() {
    kineto::enableProfiler(config_, activities_);
    is_on_ = true;
  }
  StepTrace end() {
    is_on_ = false;
    return kineto::disableProfiler();
  }

 private:
  ProfilerConfig config_ = new_config();
  std::set<ActivityType> activities_{ActivityType::CPU};
  bool is_on_ = false;
};

}  // namespace

StepTrace trace_steps(const StepContext& context, std::int64_t steps,
                      const std::string& distributed_info) {
  context.watch.begin("trace", steps + 1, context.micro_steps);
  context.watch.count(context.step);
  measurement::NoMarker no_marker;
  Recording recording(context.device.torch_device().is_cuda());
  if (!run_watched(context, no_marker)) return nullptr;
  context.device.synchronize();
  context.control.barrier();

  TraceRanges ranges;
  measurement::RangeMarker marker(no_marker, ranges, context.micro_steps,
                                  context.step.steps_done());
  recording.begin();
  kineto::addMetadataJson("distributedInfo", distributed_info);
  for (std::int64_t i = 0; i < steps; ++i) {
    if (!run_watched(context, marker)) return nullptr;
  }
  context.device.synchronize();  // a GPU's last activities are in the trace, too
  return recording.end();
}

}  // namespace scalemark::running
