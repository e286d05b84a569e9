#include "engine/process/event_log.h"

#include <algorithm>
#include <iostream>
#include <limits>
#include <system_error>
#include <utility>

#include "core/base/durations.h"
#include "core/base/error.h"
#include "engine/process/rank_group.h"
#include "engine/process/rank_process.h"
#include "report/say/render/tensorboard.h"

namespace scalemark::process {
namespace {

namespace fs = std::filesystem;

// The machine is read each second at first; after this many readings half as often, and so on: a
// run of twelve days has 10,000 readings.
constexpr std::int64_t kReadingsPerStride = 1000;

double in_seconds(std::int64_t ticks) {
  return std::chrono::duration<double>(Vitals::Clock::duration(ticks)).count();
}

std::int64_t ticks_now() { return Vitals::Clock::now().time_since_epoch().count(); }

void print_failure(const std::string& what) {
  static std::atomic<bool> told{false};
  if (told.exchange(true)) return;
  std::cerr << "scalemark: events for TensorBoard are incomplete: " + what + "\n" << std::flush;
}

std::vector<fs::path> event_files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (fs::directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored)) {
    if (tensorboard::is_event_file(entry->path().filename().string()))
      files.push_back(entry->path());
  }
  return files;
}

// A new event must go into the newest file, since a reader that has reached it never reads earlier
// ones again.
fs::path newest_of(std::vector<fs::path> files, const fs::path& mine) {
  files.push_back(mine);
  return *std::ranges::max_element(files);
}

// Files of this name are ours; TensorBoard would join an earlier start's file with this one's into
// one curve.
void remove_earlier(const fs::path& folder) {
  std::error_code ignored;
  for (const fs::path& file : event_files_in(folder)) fs::remove(file, ignored);
}

}  // namespace

fs::path event_file(const std::string& folder, const std::string& run_id) {
  static const double began = seconds_since_1970();
  return fs::path(folder) / run_id / tensorboard::event_file_name(began);
}

void append_events(const fs::path& file, tensorboard::Events events) {
  std::string records = events.take();
  if (records.empty()) return;
  try {
    std::error_code unknown;
    fs::create_directories(file.parent_path(), unknown);
    tensorboard::EventWriter writer({.file = newest_of(event_files_in(file.parent_path()), file),
                                     .collect = {},
                                     .failed = print_failure});
    writer.post(std::move(records));
  } catch (const Error& error) {
    print_failure(error.record().what);
  }
}

EventLog::EventLog(const fs::path& file, const monitoring::Sampler& machine, const Vitals& vitals,
                   bool quiet)
    : machine_(machine),
      vitals_(vitals),
      quiet_(quiet),
      wall_offset_s_(seconds_since_1970() - in_seconds(ticks_now())) {
  writer_.emplace(tensorboard::EventWriter::Options{
      .file = file,
      .collect = [this](tensorboard::Events& events) { collect(events); },
      .failed = print_failure});
}

void EventLog::plan(std::int64_t steps) {
  planned_ = steps;
  stride_ = (steps + std::ssize(steps_) - 1) / std::ssize(steps_);
}

void EventLog::begin_loop(const std::string& name, std::optional<std::int64_t> steps) {
  writes_ = name == "window" || name.starts_with("epoch ");
  knows_losses_ = false;
  loop_began_ = ticks_now();
  first_written_ = until_next_;
  if (!writes_ || planned_) return;
  stride_ =
      std::max<std::int64_t>(1, (steps.value_or(1) + std::ssize(steps_) - 1) / std::ssize(steps_));
  first_written_ = until_next_ = 1;
}

void EventLog::step_done(std::int64_t step, std::int64_t time, const std::optional<double>& loss,
                         double learning_rate) noexcept {
  last_step_.store(step + 1, std::memory_order_relaxed);
  if (!writes_) return;
  if (loss) knows_losses_ = true;
  if (--until_next_ > 0) return;
  until_next_ = stride_;
  const std::size_t count = count_.load(std::memory_order_relaxed);
  if (count == steps_.size()) return;
  steps_[count] = {step + 1, time, loss.value_or(std::numeric_limits<double>::quiet_NaN()),
                   learning_rate};
  count_.store(count + 1, std::memory_order_release);
}

void EventLog::add_losses(std::int64_t first_step, const std::vector<double>& losses) {
  if (!writes_ || knows_losses_ || losses.empty()) return;
  const double from = wall_time(loop_began_), until = wall_time(ticks_now());
  const auto n = std::ssize(losses);
  tensorboard::Events events;
  for (std::int64_t i = first_written_ - 1; i < n; i += stride_) {
    const double share = static_cast<double>(i + 1) / static_cast<double>(n);
    events.scalar("Summary/loss_rank0", first_step + i + 1, from + share * (until - from),
                  losses[static_cast<std::size_t>(i)]);
  }
  writer_->post(events.take());
}

void EventLog::add(const reporting::Evaluation& evaluation, std::int64_t step) {
  if (++evaluations_ > tensorboard::kMostEvents) return;
  const double now = seconds_since_1970();
  tensorboard::Events events;
  reporting::add_evaluation(events, evaluation, now);
  events.scalar("schedule/epoch", step, now, static_cast<double>(evaluation.epoch));
  writer_->post(events.take());
}

void EventLog::add_scalar(const std::string& tag, std::int64_t step, double value) {
  tensorboard::Events events;
  events.scalar(tag, step, seconds_since_1970(), value);
  writer_->post(events.take());
}

void EventLog::add_histogram(const std::string& tag, std::int64_t step,
                             const tensorboard::Histogram& values) {
  tensorboard::Events events;
  events.histogram(tag, step, seconds_since_1970(), values);
  writer_->post(events.take());
}

void EventLog::print_note(const std::string& text) const {
  if (!quiet_) std::cerr << "scalemark: " + text + "\n" << std::flush;
}

void EventLog::close() {
  if (!writer_) return;
  const std::int64_t dropped = writer_->dropped();
  add_scalar("machine/dropped_events", last_step_.load(std::memory_order_relaxed),
             static_cast<double>(dropped));
  writer_.reset();
  if (dropped > 0) print_failure("the disk did not keep up with " + std::to_string(dropped));
}

double EventLog::wall_time(std::int64_t ticks) const { return in_seconds(ticks) + wall_offset_s_; }

void EventLog::collect(tensorboard::Events& events) {
  collect_steps(events);
  const std::int64_t step = last_step_.load(std::memory_order_relaxed);
  if (step == 0 || readings_++ % reading_stride_ != 0) return;
  if (readings_written_ == static_cast<std::int64_t>(tensorboard::kMostEvents)) return;
  if (++readings_written_ % kReadingsPerStride == 0) reading_stride_ *= 2;
  collect_machine(events, step, seconds_since_1970());
}

void EventLog::collect_steps(tensorboard::Events& events) {
  for (const std::size_t count = count_.load(std::memory_order_acquire); steps_written_ < count;
       ++steps_written_) {
    const Step& one = steps_[steps_written_];
    const double time = wall_time(one.time);
    if (one.loss == one.loss) events.scalar("Summary/loss_rank0", one.step, time, one.loss);
    events.scalar("schedule/learning_rate", one.step, time, one.learning_rate);
  }
}

void EventLog::collect_machine(tensorboard::Events& events, std::int64_t step, double now) {
  constexpr const char* kRate = "Summary/samples_per_second_rank0";
  if (const auto rate = growth(kRate, static_cast<double>(vitals_.samples()), now))
    events.scalar(kRate, step, now, *rate);
  events.scalar("memory/rank0_resident_bytes", step, now,
                static_cast<double>(process_.read().resident_bytes));
  for (const auto& [name, value] : machine_.latest()) {
    const std::string tag =
        "machine/" + name.source + (name.device.empty() ? "" : "/" + name.device);
    const bool counts = name.kind == monitoring::SourceKind::kCounter;
    if (const auto told = counts ? growth(tag, value, now) : std::optional(value))
      events.scalar(tag, step, now, *told);
  }
}

// Returns the growth per second since the call before, or nothing at the first.
std::optional<double> EventLog::growth(const std::string& tag, double value, double now) {
  const auto [found, is_first] = before_.try_emplace(tag);
  const Counted before = std::exchange(found->second, {value, now});
  if (is_first || !(now > before.at)) return std::nullopt;
  return (value - before.value) / (now - before.at);
}

std::unique_ptr<EventLog> open_event_log(RankProcess& rank_process, RankGroup& group,
                                         const settings::Settings& settings,
                                         const std::string& run_id) {
  if (settings.general.tensorboard.empty() || group.world().rank != 0) return nullptr;
  const fs::path file = event_file(settings.general.tensorboard, run_id);
  std::error_code unknown;  // an error here is ignored, as opening the file reports it better
  fs::create_directories(file.parent_path(), unknown);
  if (!settings.checkpoints.resume) remove_earlier(file.parent_path());
  try {
    return std::make_unique<EventLog>(file, group.context().telemetry(),
                                      rank_process.live().vitals(), settings.general.quiet);
  } catch (const Error& error) {
    // In a sweep that has begun, the other runs are worth more than the events of this one.
    if (rank_process.request().settings.command == "train") throw;
    print_failure(error.record().what);
    return nullptr;
  }
}

}  // namespace scalemark::process
