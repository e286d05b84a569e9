// A run of steps that is measured: warm-up, window, and further steps that measure its
// communication. --epochs trains differently: epochs.h.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "core/machine/telemetry/sampler.h"
#include "engine/step/strategy.h"
#include "engine/train/batch_source.h"
#include "engine/train/histograms.h"
#include "engine/train/point.h"
#include "engine/train/trainer.h"
#include "engine/train/window.h"
#include "report/record/records.h"

namespace scalemark::running {

// A step's communication cost is the time saved by the same steps without it. Definition:
// METRICS.md, "Communication cost".
struct CommunicationCostBlocks {
  std::vector<reporting::CostBlock> blocks;  // this rank measured them in this order
  bool stopped = false;                      // an agreed stop came in between
};

// Runs four quadruples of short blocks (planning::cost_block_steps()), about as many steps as the
// window has, in whole `period`s of the exchange: with communication (as `usual`), without,
// without, with. Collective. Ranks that exchange nothing drift apart, so `state` is restored
// afterwards, bit by bit, from a copy in host memory.
CommunicationCostBlocks measure_communication_cost_blocks(const StepContext& context,
                                                          const RunState& state,
                                                          training::Exchange usual,
                                                          const WindowPlan& window,
                                                          std::int64_t period);

class MeasuredSteps {
 public:
  // Fills in `measured`. All arguments must outlive it. `telemetry` has begun a stretch.
  MeasuredSteps(const PointContext& point, const TrainingRanks& ranks, Trainer& trainer,
                monitoring::Sampler& telemetry, reporting::RankMeasurement& measured)
      : point_(point),
        ranks_(ranks),
        trainer_(trainer),
        telemetry_(telemetry),
        measured_(measured),
        histograms_(point.settings, point.rank_group.control(), point.watch, trainer) {}

  // Collective. May be called once.
  Window run();

  // Returns the seconds outside the window: in the warm-up and in the steps after the window.
  double beside_window_s() const { return beside_window_s_; }

  // Call it after run(). Returns false when an agreed stop came before its step.
  bool count_histograms();

  // Returns a context for further steps, after run(). `losses`: see StepContext.
  StepContext context(LossCourse* losses = nullptr);

 private:
  void watch_longer();
  bool time_gradient_buckets(const StepContext& context);
  void time_exchange_alone();
  bool measure_communication_cost(const StepContext& context, const WindowPlan& window);
  std::unique_ptr<monitoring::EnergyMeter> open_energy() const;
  RunState state() const;

  const PointContext& point_;
  const TrainingRanks& ranks_;
  Trainer& trainer_;
  monitoring::Sampler& telemetry_;
  reporting::RankMeasurement& measured_;
  std::unique_ptr<BatchSource> source_;  // null on a dedicated server
  const std::chrono::steady_clock::time_point watched_since_ = std::chrono::steady_clock::now();
  double beside_window_s_ = 0;
  Histograms histograms_;
};

// Call it at the end of the measured part, since later memory does not belong to the point.
void note_memory_peak(device::Device& device, reporting::RankRecord& record);

// Lists each file that could not be read.
std::vector<reporting::SkippedFile> records_of(const std::vector<data::SkippedSample>& skipped);

}  // namespace scalemark::running
