#include "engine/train/histograms.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/durations.h"
#include "core/catalogue/strategy.h"
#include "core/live/tensorboard/histogram.h"
#include "core/settings/value.h"
#include "engine/step/measurement/window_timer.h"
#include "engine/step/parameters.h"

namespace scalemark::running {
namespace {

using Clock = std::chrono::steady_clock;

// Histograms between beginning and end may take this share of the time.
constexpr double kLargestShare = 0.01;

tensorboard::Histogram counted(const at::Tensor& tensor) {
  const at::Tensor values = tensor.detach().to(at::kCPU, at::kFloat).contiguous();
  return tensorboard::count_values(
      std::span(values.const_data_ptr<float>(), static_cast<std::size_t>(values.numel())));
}

bool averages_gradients(const settings::Settings& settings) {
  const catalogue::Strategy* strategy = catalogue::find_strategy(settings.parallel.strategy);
  return !settings.parallel.cuda_graphs && strategy && strategy->in_every_step;
}

// Whether some gradients are complete only over several ranks.
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
  if (!has_gradients_ && watch.events())
    watch.events()->print_note(
        "histograms are of weights only: --strategy local-sgd averages no "
        "gradients, and a captured step shows none");
}

void Histograms::count_first_weights() {
  if (!wanted_) return;
  const auto start = Clock::now();
  write_weights();
  record_duration(start, trainer_.step->steps_done());
}

bool Histograms::count(const StepContext& context, const RunState* back_to,
                       Clock::time_point start) {
  if (!wanted_) return true;
  const std::int64_t step = trainer_.step->steps_done();
  write_weights();
  if (has_gradients_ && !count_gradients(context, back_to)) return false;
  record_duration(start, step);
  return true;
}

void Histograms::write_weights() {
  auto* events = watch_.events();
  if (!events) return;
  const std::int64_t step = trainer_.step->steps_done();
  for (const auto& [name, tensor, norm_or_bias] : trainer_.parameters)
    events->add_histogram("weights/" + name, step, counted(tensor));
}

bool Histograms::count_gradients(const StepContext& context, const RunState* back_to) {
  const std::int64_t step = trainer_.step->steps_done();
  workloads::NamedTensors before;
  if (back_to) before = copy_of(*back_to);
  // This batch belongs to the epoch, which continues later.
  auto ahead = trainer_.step->set_ahead_aside();
  Named mine;
  if (!run_counted(context, mine)) return false;
  write_gradients(mine, step);
  if (back_to) put_back(before, *back_to, "the state before the histograms");
  trainer_.step->give_back(std::move(ahead));
  return true;
}

bool Histograms::run_counted(const StepContext& context, Named& mine) {
  struct Observed {  // its destructor runs also where the step throws
    training::TrainStep& step;
    ~Observed() { step.observe_gradients({}); }
  } const observed{*trainer_.step};
  if (counts_here_) {
    observed.step.observe_gradients([&](const std::string& name, const at::Tensor& gradient) {
      const auto piece = training::piece_named(name);  // ranks' pieces make up the whole gradient
      mine.emplace_back(piece ? piece->whole : name, counted(gradient));
    });
  }
  measurement::NoMarker no_marker;
  watch_.begin("histograms", 1, context.micro_steps);
  watch_.count(context.step);
  return run_watched(context, no_marker);
}

// Adds up the ranks' parts of each gradient on rank 0.
void Histograms::write_gradients(const Named& mine, std::int64_t step) {
  std::map<std::string, tensorboard::Histogram> whole;
  for (const Named& of_rank : distributed::gathered(control_, mine)) {
    for (const auto& [name, part] : of_rank) add(whole[name], part);
  }
  auto* events = watch_.events();
  if (!events) return;
  double squares = 0;
  std::int64_t not_finite = 0;
  for (const training::NamedParameter& parameter : trainer_.parameters) {
    const auto found = whole.find(parameter.name);
    if (found == whole.end()) continue;  // an unused parameter has none
    events->add_histogram("gradients/" + parameter.name, step, found->second);
    squares += found->second.sum_squares;
    not_finite += found->second.not_finite;
  }
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  events->add_scalar("gradients/global_norm", step, not_finite > 0 ? kNan : std::sqrt(squares));
  if (not_finite > 0)
    events->add_scalar("gradients/not_finite", step, static_cast<double>(not_finite));
}

std::int64_t Histograms::until_next(std::int64_t done, std::int64_t steps) const {
  if (!every_) return steps;
  return std::min(steps, std::max(done - done % *every_ + *every_, ask_from_) - done);
}

bool Histograms::is_due(std::int64_t done, bool epoch_ends) {
  const bool named =
      every_ ? done % *every_ == 0 && done >= ask_from_ : after_epochs_ && epoch_ends;
  if (!wanted_ || !named || counts_ == tensorboard::kMostEvents) return false;
  const double allowed_s = kLargestShare * seconds_since(began_);
  const bool now = agree(control_, spent_s_ + last_s_ <= allowed_s) != 0;
  if (every_) {  // a window that ends without histograms costs time, too
    waits_ = now ? 1 : std::min<std::int64_t>(2 * waits_, tensorboard::kMostEvents);
    ask_from_ = done + waits_ * *every_;
  }
  if (!now && !std::exchange(noted_skips_, true) && watch_.events())
    watch_.events()->print_note(
        "histograms are passed over where they would take more than 1 % of the time");
  return now;
}

void Histograms::record_duration(Clock::time_point start, std::int64_t step) {
  last_s_ = seconds_since(start);
  spent_s_ += last_s_;
  ++counts_;
  if (auto* events = watch_.events()) events->add_scalar("time/histograms_seconds", step, spent_s_);
}

}  // namespace scalemark::running
