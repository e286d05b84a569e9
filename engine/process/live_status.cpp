#include "engine/process/live_status.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <utility>

#include "core/base/durations.h"
#include "core/base/text.h"
#include "core/base/threads.h"
#include "core/base/wire.h"
#include "core/live/rates.h"
#include "engine/process/machines.h"
#include "report/say/render/render.h"

namespace scalemark::process {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kEvery{2000};
constexpr double kLargestShare = 0.001;  // writing may take this share of the time
// A status older than 10 s counts as a dead run's (core/live/rates.h).
constexpr double kLongestPause_s = 6;

// There is no fsync: after a crash of the machine the file is worth nothing.
void replace(const fs::path& file, const std::string& text) {
  const fs::path fresh = file.string() + ".tmp";
  std::ofstream out(fresh, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) throw fs::filesystem_error("cannot write", fresh, std::error_code());
  fs::rename(fresh, file);
}

std::string in_words(const settings::Settings& settings, int world_size) {
  std::string text = settings.task.workload + ", batch " +
                     std::to_string(settings.size.batch_size) + " per rank, " +
                     std::string(name_of(settings.parallel.precision));
  const auto& parallel = settings.parallel;
  if (parallel.strategy != "none") {
    text += ", " + parallel.strategy + " over " + parallel.backend;
  } else if (world_size > 1) {
    text += ", no exchange";
  }
  return text + ", " + counted(world_size, "rank");
}

std::vector<live::CountedRuns> counted_runs(const reporting::Report& report) {
  std::map<std::string, std::int64_t> counts;  // all start at 0: no series begins later
  for (const auto status : names_of<reporting::PointStatus>()) counts[std::string(status)] = 0;
  for (const auto& point : report.points) ++counts[std::string(name_of(point.status))];
  for (const auto& row : report.collectives) ++counts[std::string(name_of(row.status))];
  std::vector<live::CountedRuns> runs;
  for (const auto& [status, count] : counts) runs.push_back({status, count});
  return runs;
}

}  // namespace

LiveStatus::LiveStatus(RankContext& context) : context_(context) {
  seen_.resize(static_cast<std::size_t>(context.world().world_size));
  live::RankStatus identity{.rank = context.world().rank,
                            .host = context.host(),
                            .device = context.device().name(),
                            .local_rank = context.world().local_rank};
  if (const std::string uuid = context.device().identity(); !uuid.empty())
    identity.gpu = live::GpuStatus{.device = identity.device, .uuid = uuid};
  identities_ = distributed::gathered(context.control(), identity);
}

distributed::Heartbeat::Hooks LiveStatus::hooks() {
  distributed::Heartbeat::Hooks hooks;
  hooks.record = [this] { return record(); };
  if (context_.world().rank == 0) {
    hooks.read = [this](const std::vector<std::string>& records) {
      for (const std::string& one : records) take(one);
    };
  }
  return hooks;
}

std::string LiveStatus::record() {
  const std::lock_guard lock(heartbeat_mutex_);
  return to_wire(heartbeat());
}

live::HeartbeatRecord LiveStatus::heartbeat() {
  const auto reading = reader_.read();
  const auto in_use = context_.group_in_use();
  monitoring::Sampler& sampler = context_.telemetry();
  const auto latest = sampler.latest();
  const PhaseTracker& tracker = context_.phase_tracker();
  const double clock_s = seconds_since(began_);
  live::HeartbeatRecord heartbeat;
  heartbeat.rank = {.rank = context_.world().rank,
                    .beats = ++beats_,
                    .clock_s = clock_s,
                    .phase = tracker.phase(),
                    .step = tracker.step(),
                    .steps = vitals_.steps(),
                    .samples = vitals_.samples(),
                    .payload_bytes = vitals_.payload_bytes(),
                    .data_wait_s = vitals_.data_wait_s(),
                    .since_step_s = vitals_.since_step_s(),
                    .resident_bytes = reading.resident_bytes,
                    .major_faults = reading.major_faults,
                    .late_wakeups = sampler.late_wakeups(),
                    .cpu_s = reading.cpu_s,
                    .watching_cpu_s = watching_cpu_s(),
                    .main_ran_s = reading.main_ran_s,
                    .main_queued_s = reading.main_queued_s,
                    .gpu = latest_of_gpu(latest)};
  if (in_use.count) heartbeat.rank.collectives = static_cast<std::int64_t>(in_use.count->begun());
  heartbeat.rank.all_collectives =
      static_cast<std::int64_t>(in_use.begun_before) + heartbeat.rank.collectives;
  if (sampler.reads_shared()) heartbeat.node = latest_of_node(latest, clock_s, sampler.cpu_s());
  return heartbeat;
}

void LiveStatus::take(const std::string& record) {
  if (record.empty()) return;
  auto heartbeat = from_wire<live::HeartbeatRecord>(record);
  const double now_s = seconds_since(began_);
  const std::lock_guard lock(mutex_);
  Seen& seen = seen_.at(static_cast<std::size_t>(heartbeat.rank.rank));
  if (heartbeat.rank.beats <= seen.heartbeat.rank.beats) return;  // an older one that came later
  if (heartbeat.node)
    live::keep_newest(nodes_, identities_[static_cast<std::size_t>(heartbeat.rank.rank)].host,
                      *heartbeat.node);
  seen = {std::move(heartbeat), now_s};
}

void LiveStatus::open(const fs::path& folder, const reporting::Report& report,
                      const std::optional<MetricsAddress>& metrics) {
  if (context_.world().rank != 0) return;
  head_ = {.run_id = report.run_id,
           .command = report.invocation.command,
           .version = report.tool.version,
           .commit = report.tool.git_commit,
           .started = report.started};
  shows_points_ = metrics.has_value();
  publish(report);
  if (metrics) serve(*metrics, folder);
  file_ = folder / "status.json";
  is_open_ = true;
  write();
  writer_.emplace(kEvery, [this] { return write(); });
}

void LiveStatus::serve(const MetricsAddress& address, const fs::path& folder) {
  pages_ = std::make_unique<MetricsPages>(address, [this] {
    const std::lock_guard lock(mutex_);
    return MetricsPages::Shown{standing(), done_points_};
  });
  {
    const std::lock_guard lock(mutex_);
    head_.endpoint = pages_->address();
  }
  pages_->write_target(folder, head_.run_id);
}

LiveStatus::Now LiveStatus::now_of(const settings::Settings& settings, int world_size,
                                   const std::string& sample_unit) {
  Now now;
  now.what = in_words(settings, world_size);
  now.sample_unit = sample_unit;
  now.training = {.workload = settings.task.workload,
                  .strategy = settings.parallel.strategy,
                  .backend = settings.parallel.backend,
                  .precision = std::string(name_of(settings.parallel.precision)),
                  .batch_size = settings.size.batch_size,
                  .world_size = world_size};
  return now;
}

void LiveStatus::publish(Now now) {
  const std::lock_guard lock(mutex_);
  now_ = std::move(now);
  now_at_s_ = seconds_since(began_);
}

void LiveStatus::publish(const reporting::Report& report) {
  std::string points = shows_points_ ? reporting::render_prometheus({&report, 1}) : "";
  const std::lock_guard lock(mutex_);
  done_points_ = std::move(points);
  head_.runs = counted_runs(report);
  head_.findings.clear();
  for (const reporting::Finding& one : report.findings)
    head_.findings.push_back({one.code, one.severity, one.point, one.text});
}

void LiveStatus::publish(const reporting::Evaluation& evaluation) {
  const std::lock_guard lock(mutex_);
  head_.evaluation = {evaluation.epoch, evaluation.loss, evaluation.metric, evaluation.value};
}

void LiveStatus::end(const std::string& state) {
  if (!is_open_) return;
  writer_.reset();
  end_at_once(state);
}

void LiveStatus::end_at_once(const std::string& state) noexcept {
  if (!is_open_) return;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(ended_, true)) return;
    head_.state = state;
    next_write_s_ = 0;
  }
  write_now();
}

// Call it with mutex_ locked. Rank 0's own numbers are read now.
live::Status LiveStatus::standing() {
  live::Status status = head_;
  status.written = reporting::utc_now();
  status.what = now_.what;
  status.point = now_.point;
  status.training = now_.training;
  status.runs_done = now_.runs_done;
  status.runs_planned = now_.runs_planned;
  if (now_.seconds_left)
    status.seconds_left = std::max(0.0, *now_.seconds_left - (seconds_since(began_) - now_at_s_));
  if (!now_.sample_unit.empty()) status.sample_unit = now_.sample_unit;
  status.phase = context_.phase_tracker().phase();
  status.loss = vitals_.loss();
  status.learning_rate = vitals_.learning_rate();
  if (const auto loop_s = vitals_.loop_s(); loop_s && live::is_measuring(status.phase)) {
    status.done = vitals_.done();
    status.planned = vitals_.planned();
    if (!status.seconds_left && status.planned && *status.done > 0 &&
        *status.planned >= *status.done) {
      status.seconds_left = *loop_s / static_cast<double>(*status.done) *
                            static_cast<double>(*status.planned - *status.done);
    }
  }
  const double now_s = seconds_since(began_);
  for (std::size_t rank = 0; rank < seen_.size(); ++rank) {
    if (seen_[rank].heartbeat.rank.beats == 0) continue;
    live::RankStatus one = seen_[rank].heartbeat.rank;
    const live::RankStatus& who = identities_[rank];
    one.host = who.host;
    one.device = who.device;
    one.local_rank = who.local_rank;
    one.silent_s = now_s - seen_[rank].at_s;
    if (one.gpu && who.gpu) {
      one.gpu->device = who.gpu->device;
      one.gpu->uuid = who.gpu->uuid;
    }
    status.ranks.push_back(std::move(one));
  }
  for (const auto& [host, node] : nodes_) {
    status.nodes.push_back(node);
    if (host == context_.host()) status.nodes.back().output_free_bytes = output_free_bytes_;
  }
  return status;
}

// A full or lost disk is reported by the report; this keeps trying.
bool LiveStatus::write() noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return false;
    if (seconds_since(began_) < next_write_s_) return true;
  }
  write_now();
  return true;
}

void LiveStatus::write_now() noexcept {
  // On a disk that hangs the other writer may hold the lock for ever.
  const std::unique_lock writing(write_mutex_, std::chrono::seconds(1));
  if (!writing.owns_lock()) return;
  try {
    const double before_s = monitoring::thread_cpu_s();
    std::error_code error;
    const auto space = fs::space(file_.parent_path(), error);
    live::Status status;
    {
      const std::lock_guard lock(mutex_);
      if (!error) output_free_bytes_ = static_cast<double>(space.available);
      status = standing();
    }
    replace(file_, live::to_json(status));
    if (pages_) pages_->remember(std::move(status));
    const double took_s = monitoring::thread_cpu_s() - before_s;
    const std::lock_guard lock(mutex_);
    next_write_s_ = seconds_since(began_) + std::min(took_s / kLargestShare, kLongestPause_s);
  } catch (const std::exception&) {
    return;
  }
}

}  // namespace scalemark::process
