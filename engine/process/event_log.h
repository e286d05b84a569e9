// Writes the event file of one run for TensorBoard (--tensorboard) while the run lasts: loss,
// learning rate, this rank's throughput, its machine, evaluations and histograms. A thread of its
// own writes; in a timed region a step costs a few stores. Knows no networks and no report.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/live/tensorboard/event_writer.h"
#include "core/live/tensorboard/events.h"
#include "core/machine/process_reading.h"
#include "core/machine/telemetry/sampler.h"
#include "core/settings/settings.h"
#include "engine/process/vitals.h"
#include "report/record/records.h"

namespace scalemark::process {

class RankProcess;
class RankGroup;

// Returns DIR/ID/<this process's file>, the same for everything that this process writes of a run.
std::filesystem::path event_file(const std::string& folder, const std::string& run_id);

// Appends to the newest event file of that folder, or begins `file` where there is none. A disk
// that fails is reported once per process, on stderr.
void append_events(const std::filesystem::path& file, tensorboard::Events events);

class EventLog {
 public:
  // Call it on the main thread. Throws cannot_create() (73) where the file cannot be made. The
  // arguments must outlive the log.
  EventLog(const std::filesystem::path& file, const monitoring::Sampler& machine,
           const Vitals& vitals, bool quiet = false);
  ~EventLog() { close(); }

  // Announces a training of this many steps in several loops. Without it each loop is written by
  // itself.
  void plan(std::int64_t steps);

  // A loop begins; call it outside timed regions. Only steps of a window or an epoch are written.
  void begin_loop(const std::string& name, std::optional<std::int64_t> steps);
  // Step number `step`, from 0, has ended at `time` (of Vitals::Clock, in ticks). May be called in
  // timed regions.
  void step_done(std::int64_t step, std::int64_t time, const std::optional<double>& loss,
                 double learning_rate) noexcept;
  // Adds the losses of the loop that has ended, for a device that does not deliver them earlier.
  void add_losses(std::int64_t first_step, const std::vector<double>& losses);

  void add(const reporting::Evaluation& evaluation, std::int64_t step);
  void add_scalar(const std::string& tag, std::int64_t step, double value);
  void add_histogram(const std::string& tag, std::int64_t step,
                     const tensorboard::Histogram& values);

  // Prints `text` on stderr, unless --quiet.
  void print_note(const std::string& text) const;

  // Writes the remaining events and the number of dropped ones. Later calls do nothing.
  void close();

 private:
  struct Step {
    std::int64_t step = 0, time = 0;
    double loss = 0, learning_rate = 0;  // NaN: the loss is not known.
  };
  struct Counted {
    double value = 0, at = 0;
  };

  double wall_time(std::int64_t ticks) const;
  void collect(tensorboard::Events& events);
  void collect_steps(tensorboard::Events& events);
  void collect_machine(tensorboard::Events& events, std::int64_t step, double now);
  std::optional<double> growth(const std::string& tag, double value, double now);

  const monitoring::Sampler& machine_;
  const Vitals& vitals_;
  bool quiet_;
  monitoring::ProcessReader process_;
  double wall_offset_s_;  // wall clock minus steady clock

  // --- Only the training thread uses these.
  std::optional<std::int64_t> planned_;
  std::int64_t stride_ = 1, until_next_ = 1;
  std::int64_t first_written_ = 1;  // a step of the loop, from 1
  bool writes_ = false, knows_losses_ = false;
  std::int64_t loop_began_ = 0;  // in ticks
  std::size_t evaluations_ = 0;

  // Entries are written once and never read before count_ covers them. Of more steps only every
  // k-th is kept.
  std::vector<Step> steps_ = std::vector<Step>(tensorboard::kMostEvents);
  std::atomic<std::size_t> count_{0};
  std::atomic<std::int64_t> last_step_{0};

  // --- Only the writer's thread uses these.
  std::size_t steps_written_ = 0;
  std::int64_t readings_ = 0, readings_written_ = 0, reading_stride_ = 1;
  std::map<std::string, Counted> before_;

  std::optional<tensorboard::EventWriter> writer_;  // last, since its thread uses the members above
};

// Opens the log of a run on the first rank of its group; null elsewhere, and without --tensorboard.
std::unique_ptr<EventLog> open_event_log(RankProcess& rank_process, RankGroup& group,
                                         const settings::Settings& settings,
                                         const std::string& run_id);

}  // namespace scalemark::process
