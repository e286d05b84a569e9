// --histograms: the weights and averaged gradients of a training, counted into the run's event file
// between its windows, never within one.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/live/tensorboard/histogram.h"
#include "core/settings/settings.h"
#include "engine/train/trainer.h"
#include "engine/train/window.h"

namespace scalemark::running {

class Histograms {
 public:
  // Decides by the settings when histograms are taken, and whether of gradients, too. `control`,
  // `watch` and `trainer` must outlive it. Where none are wanted the calls below do nothing.
  Histograms(const settings::Settings& settings, distributed::ControlGroup& control,
             StepWatch& watch, Trainer& trainer);

  bool wanted() const { return wanted_; }

  // At the beginning of a training. The histograms show rank 0's network.
  void count_first_weights();

  // Collective: weights, and gradients by one step more, when they are averaged over the ranks and
  // not clipped yet. Where no rank has averages, of a strategy that averages parameters or of a
  // captured step, there is no such step. `back_to`: the state of the training, which then goes on
  // as if the step had not been; null: it stays. `start`: when the work for it began. False: an
  // agreed stop came before the step.
  bool count(const StepContext& context, const RunState* back_to,
             std::chrono::steady_clock::time_point start);

  // How many of `steps` come before the next moment that --histograms names, if `done` are done.
  std::int64_t until_next(std::int64_t done, std::int64_t steps) const;

  // Collective: whether now is such a moment, and histograms have taken, with these, at most 1 % of
  // the time since the training began.
  bool is_due(std::int64_t done, bool epoch_ends);

 private:
  using Named = std::vector<std::pair<std::string, tensorboard::Histogram>>;

  void write_weights();
  bool count_gradients(const StepContext& context, const RunState* back_to);
  bool run_counted(const StepContext& context, Named& mine);
  void write_gradients(const Named& mine, std::int64_t step);
  void record_duration(std::chrono::steady_clock::time_point start, std::int64_t step);

  bool wanted_ = false, after_epochs_ = false, has_gradients_ = false, counts_here_ = false;
  bool noted_skips_ = false;  // that some were passed over
  std::optional<std::int64_t> every_;
  std::int64_t ask_from_ = 0;  // no histograms are due before this step
  std::int64_t waits_ = 1;     // moments from one look at the budget to the next
  distributed::ControlGroup& control_;
  StepWatch& watch_;
  Trainer& trainer_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  double spent_s_ = 0, last_s_ = 0;
  std::size_t counts_ = 0;
};

}  // namespace scalemark::running
