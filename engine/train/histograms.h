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
  // `watch` and `trainer` must outlive it. Where no histograms are wanted the calls below do
  // nothing.
  Histograms(const settings::Settings& settings, distributed::ControlGroup& control,
             StepWatch& watch, Trainer& trainer);

  bool wanted() const { return wanted_; }

  // Call it at the beginning of a training. The histograms show rank 0's network.
  void count_first_weights();

  // Collective: counts weights, and by running one more step also gradients, after they are
  // averaged over the ranks and before they are clipped. There is no such step where no rank has
  // averages, because the strategy averages parameters or the step is captured. `back_to`: the
  // state of the training, which is restored after the step; null: the step counts. `start`: when
  // the work for this began. Returns false when an agreed stop came before the step.
  bool count(const StepContext& context, const RunState* back_to,
             std::chrono::steady_clock::time_point start);

  // Returns how many of `steps` come before the next moment for --histograms, when `done` are done.
  std::int64_t until_next(std::int64_t done, std::int64_t steps) const;

  // Collective: whether this is such a moment, and histograms, these included, have taken at most 1
  // % of the time since the training began.
  bool is_due(std::int64_t done, bool epoch_ends);

 private:
  using Named = std::vector<std::pair<std::string, tensorboard::Histogram>>;

  void write_weights();
  bool count_gradients(const StepContext& context, const RunState* back_to);
  bool run_counted(const StepContext& context, Named& mine);
  void write_gradients(const Named& mine, std::int64_t step);
  void record_duration(std::chrono::steady_clock::time_point start, std::int64_t step);

  bool wanted_ = false, after_epochs_ = false, has_gradients_ = false, counts_here_ = false;
  bool noted_skips_ = false;  // the note on skipped histograms was printed
  std::optional<std::int64_t> every_;
  std::int64_t ask_from_ = 0;  // no histograms are due before this step
  std::int64_t waits_ = 1;     // moments from one check of the budget to the next
  distributed::ControlGroup& control_;
  StepWatch& watch_;
  Trainer& trainer_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  double spent_s_ = 0, last_s_ = 0;
  std::size_t counts_ = 0;
};

}  // namespace scalemark::running
