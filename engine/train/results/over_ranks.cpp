#include "engine/train/results/over_ranks.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "engine/train/checkpoint_files.h"
#include "engine/train/results/losses.h"
#include "report/record/rank_fields.h"

namespace scalemark::running {
namespace {

// Sets values below any rank's times, so that a maximum over ranks ignores this one's.
void clear_own_series(reporting::StepSeries& series) {
  for (auto* values :
       {&series.max_step_s, &series.max_own_s, &series.max_own_less_wait_s, &series.max_wall_s}) {
    std::ranges::fill(*values, std::numeric_limits<double>::lowest());
  }
}

void take_largest(reporting::StepSeries& series, process::RankGroup& rank_group) {
  const auto steps = static_cast<double>(series.max_step_s.size());
  const auto stretches = static_cast<double>(series.max_wall_s.size());
  std::vector<double> most_and_least{steps, -steps, stretches, -stretches};
  rank_group.max_over_ranks(most_and_least);
  if (most_and_least[0] != -most_and_least[1] || most_and_least[2] != -most_and_least[3]) {
    throw bug("ranks with different numbers of steps or stretches");
  }
  rank_group.max_over_ranks(series.max_step_s);
  rank_group.max_over_ranks(series.max_own_s);
  rank_group.max_over_ranks(series.max_own_less_wait_s);
  rank_group.max_over_ranks(series.max_wall_s);
}

}  // namespace

void note_window(const Window& window, std::int64_t tokens_per_sample,
                 reporting::RankMeasurement& measured) {
  measured.record.samples = window.samples;
  measured.record.wall_s = window.wall_s;
  measured.record.around_s = window.around_s;
  measured.iterations = window.iterations;
  measured.steps_per_mark = window.steps_per_mark;
  measured.padded = window.padded;
  measured.tokens = window.samples * tokens_per_sample;
  measured.non_pad_tokens = window.non_pad_tokens;
  measured.energy_J = window.energy_J;
  if (!window.losses.empty()) {
    measured.loss_first = window.losses.front();
    measured.loss_last = window.losses.back();
  }
  reporting::RankSeries& series = measured.series;
  series.step_s = window.steps.step_s;
  for (const auto& stretch : window.stretches) series.stretch_wall_s.push_back(stretch.wall_s);
  const auto& phases = window.steps.phases;
  if (!phases.empty()) measured.record.phases_s = measurement::mean_of(phases);
  for (const reporting::Phases& step : phases) {
    series.exposed_communication_s.push_back(step.exposed_communication);
    // The timeline is the device's: METRICS.md.
    series.counted_data_wait_s.push_back(step.data_wait);
  }
  if (const auto n = static_cast<double>(window.iterations); n > 0) {
    reporting::Scheduling& scheduling = measured.record.scheduling.emplace();
    if (window.schedule) {
      scheduling.ran_s = window.schedule->ran_s / n;
      scheduling.queued_s = window.schedule->queued_s / n;
    }
    scheduling.major_faults = static_cast<double>(window.major_faults) / n;
  }
  double& first_step_s = measured.setup_s.first_step_s;
  if (first_step_s == 0 && !series.step_s.empty()) first_step_s = series.step_s.front();
}

OverRanks over_ranks(reporting::RankMeasurement measured, process::RankGroup& rank_group) {
  OverRanks all{.series = reporting::condense(measured)};
  measured.series = {};
  if (measured.serves) clear_own_series(all.series);
  take_largest(all.series, rank_group);
  all.ranks = distributed::gathered(rank_group.control(), measured);
  average_losses(all.ranks);
  return all;
}

namespace {

constexpr std::size_t kRoundBytes = 16 << 20;  // all ranks together send at most this in a round
constexpr std::size_t kLeastPieceBytes = 4 << 10;

std::size_t piece_bytes(int ranks) {
  return std::max(kLeastPieceBytes, kRoundBytes / static_cast<std::size_t>(ranks));
}

// Rank 0's side. A disk error is thrown later, since the other ranks continue with the rounds.
class Sink {
 public:
  Sink(const RawStepsPlace& place, const reporting::RawPart& part, PointOutcome& outcome)
      : place_(place), outcome_(outcome) {
    attempt([&] {
      std::vector<reporting::RawRank> ranks;
      for (const auto& rank : outcome.ranks) {
        if (!rank.serves) ranks.push_back({rank.record.rank, rank.record.samples});
      }
      ranks_ = ranks.size();
      file_.emplace(place.output, place.point,
                    reporting::raw_steps_header(place.point, part, ranks), ranks.size(),
                    part.values.size());
    });
  }

  void write(std::size_t at, const std::vector<std::string>& pieces) {
    attempt([&] {
      for (std::size_t i = 0; i < ranks_; ++i) file_->write(i, at, pieces[i]);
    });
  }

  void finish() {
    attempt([&] {
      file_->finish();
      const auto written = describe_file(file_->path());
      outcome_.raw_steps_file = {.file = reporting::raw_steps_name(place_.point),
                                 .bytes = written.bytes,
                                 .xxh3_128 = written.xxh3_128};
    });
  }

 private:
  template <class Body>
  void attempt(Body body) {
    if (failed_) return;
    try {
      body();
    } catch (const Error& error) {
      failed_ = true;
      if (!outcome_.not_saved) outcome_.not_saved = error.record();
      file_.reset();
    }
  }

  const RawStepsPlace& place_;
  PointOutcome& outcome_;
  std::optional<reporting::RawStepsFile> file_;
  std::size_t ranks_ = 0;  // ranks with pieces come first: a dedicated server's pieces come last
  bool failed_ = false;
};

// `gather(piece)` returns on rank 0 the piece of every rank, in the order of outcome.ranks.
template <class Gather>
void save(const RawStepsPlace& place, PointOutcome& outcome, std::size_t piece, Gather gather) {
  if (!outcome.raw_steps) return;
  const reporting::RawPart part = std::move(*outcome.raw_steps);
  outcome.raw_steps.reset();
  std::optional<Sink> sink;
  if (!outcome.ranks.empty()) sink.emplace(place, part, outcome);
  for (std::size_t at = 0; at < part.values.size(); at += piece) {
    const std::vector<std::string> pieces = gather(part.values.substr(at, piece));
    if (sink) sink->write(at, pieces);
  }
  if (sink) sink->finish();
}

}  // namespace

reporting::RawPart raw_steps(const Window& window,
                             const std::vector<reporting::CostBlock>& blocks) {
  reporting::RawSteps raw{.steps_per_mark = window.steps_per_mark,
                          .windows = window.stretches,
                          .step_s = window.steps.step_s,
                          .phases_s = window.steps.phases,
                          .cost_blocks = blocks};
  if (raw.windows.empty()) {
    raw.windows.push_back(
        {.wall_s = window.wall_s, .steps = window.iterations, .entries = std::ssize(raw.step_s)});
  }
  return reporting::raw_part(raw);
}

void save_raw_steps(distributed::ControlGroup& control, const RawStepsPlace& place,
                    PointOutcome& outcome, const std::function<void()>& after_round) {
  save(place, outcome, piece_bytes(control.world_size()), [&](const std::string& piece) {
    auto pieces = control.gather(piece);
    after_round();
    return pieces;
  });
}

void save_raw_steps(const RawStepsPlace& place, PointOutcome& outcome) {
  save(place, outcome, kRoundBytes,
       [](const std::string& piece) { return std::vector<std::string>{piece}; });
}

}  // namespace scalemark::running
