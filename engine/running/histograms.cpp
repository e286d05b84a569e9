#include "engine/running/histograms.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/durations.h"
#include "core/base/wire.h"
#include "core/catalogue/strategy.h"
#include "core/settings/value.h"
#include "core/tensorboard/histogram.h"
#include "engine/measurement/window_timer.h"

namespace scalemark::running {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kLargestShare = 0.01;  // of the time, for histograms between the ends

tensorboard::Histogram counted(const at::Tensor& tensor) {
  const at::Tensor values = tensor.detach().to(at::kCPU, at::kFloat).contiguous();
  return tensorboard::count_values(
      std::span(values.const_data_ptr<float>(), static_cast<std::size_t>(values.numel())));
}

bool averages_gradients(const settings::Settings& settings) {
  const catalogue::Strategy* strategy = catalogue::find_strategy(settings.parallel.strategy);
  return !settings.parallel.cuda_graphs && strategy && strategy->in_every_step;
}

// Whether parts of the gradients are whole on other ranks alone.
bool are_spread(const settings::Settings& settings) {
  const catalogue::Strategy* strategy = catalogue::find_strategy(settings.parallel.strategy);
  return strategy && strategy->updates != catalogue::Updates::kEverywhere;
}

}  // namespace

Histograms::Histograms(const settings::Settings& settings, distributed::ControlGroup& control,
                       StepWatch& watch, Trainer& trainer)
    : control_(control), watch_(watch), trainer_(trainer) {
  const std::string& when = settings.measuring.histograms;
  if (settings.general.tensorboard.empty() || when == "none") return;
  wanted_ = true;
  after_epochs_ = when == "epoch";
  if (const auto every = settings::parse_steps_or_time(when)) every_ = every->steps;
  has_gradients_ = averages_gradients(settings);
  counts_here_ = control.rank() == 0 || are_spread(settings);
}

void Histograms::count_weights() {
  auto* events = watch_.events();
  if (!wanted_ || !events) return;
  const auto start = Clock::now();
  const std::int64_t step = trainer_.step->steps_done();
  for (const auto& [name, tensor, norm_or_bias] : trainer_.parameters)
    events->add_histogram("weights/" + name, step, counted(tensor));
  took(start);
}

bool Histograms::count(const StepContext& context, const RunState* back_to) {
  if (!wanted_) return true;
  count_weights();
  if (!has_gradients_) return true;
  const auto start = Clock::now();
  const std::int64_t step = trainer_.step->steps_done();
  workloads::NamedTensors before;
  if (back_to) before = copy_of(*back_to);
  Named mine;
  if (!run_counted(context, mine)) return false;
  tell_gradients(mine, step);
  if (back_to) put_back(before, *back_to, "the state before the histograms");
  took(start);
  return true;
}

bool Histograms::run_counted(const StepContext& context, Named& mine) {
  if (counts_here_) {
    trainer_.step->observe_gradients([&](const std::string& name, const at::Tensor& gradient) {
      mine.emplace_back(name, counted(gradient));
    });
  }
  measurement::NoMarker no_marker;
  watch_.begin("histograms", 1, context.micro_steps);
  watch_.count(context.step);
  const bool ran = run_watched(context, no_marker);
  trainer_.step->observe_gradients({});
  return ran;
}

// The parts that ranks have of a gradient are added up on rank 0.
void Histograms::tell_gradients(const Named& mine, std::int64_t step) {
  std::map<std::string, tensorboard::Histogram> whole;
  for (const std::string& bytes : control_.gather(to_wire(mine))) {
    for (const auto& [name, part] : from_wire<Named>(bytes)) add(whole[name], part);
  }
  auto* events = watch_.events();
  if (!events) return;
  double squares = 0;
  for (const training::NamedParameter& parameter : trainer_.parameters) {
    const auto found = whole.find(parameter.name);
    if (found == whole.end()) continue;  // an unused parameter has none
    events->add_histogram("gradients/" + parameter.name, step, found->second);
    squares += found->second.sum_squares;
  }
  events->add_scalar("gradients/global_norm", step, std::sqrt(squares));
}

std::int64_t Histograms::until_next(std::int64_t done, std::int64_t steps) const {
  return every_ ? std::min(steps, *every_ - done % *every_) : steps;
}

bool Histograms::is_due(std::int64_t done, bool epoch_ends) {
  const bool named = every_ ? done % *every_ == 0 : after_epochs_ && epoch_ends;
  if (!wanted_ || !named) return false;
  const double allowed_s = kLargestShare * seconds_since(began_);
  const bool now = agree(control_, spent_s_ + last_s_ <= allowed_s) != 0;
  if (!now && !std::exchange(told_, true) && watch_.events())
    watch_.events()->tell(
        "histograms are passed over where they would take more than 1 % of the time");
  return now;
}

void Histograms::took(Clock::time_point start) {
  last_s_ = seconds_since(start);
  spent_s_ += last_s_;
  if (auto* events = watch_.events())
    events->add_scalar("time/histograms_seconds", trainer_.step->steps_done(), spent_s_);
}

}  // namespace scalemark::running
