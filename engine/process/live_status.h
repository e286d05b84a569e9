// The state of a run while it lasts: each rank makes its record for the heartbeat, and rank 0
// gathers them, writes status.json into the output folder, and serves both on --metrics-port.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/live/status.h"
#include "core/machine/process_reading.h"
#include "engine/distributed/clock.h"
#include "engine/distributed/heartbeat.h"
#include "engine/process/metrics_pages.h"
#include "engine/process/rank_context.h"
#include "engine/process/vitals.h"
#include "report/record/report.h"

namespace scalemark::process {

class LiveStatus {
 public:
  // Call it on the main thread after RankContext::connect(). Collective: rank 0 learns every rank's
  // machine and device.
  explicit LiveStatus(RankContext& context);

  Vitals& vitals() { return vitals_; }

  // Returns the heartbeat's hooks except `on_lost`. Its side thread may call them as long as this
  // object lives.
  distributed::Heartbeat::Hooks hooks();
  std::string record();                                   // this rank's record of now
  const auto& identities() const { return identities_; }  // rank 0 knows those of all

  // --- On ranks other than 0 the following do nothing.

  // From now on a thread of its own writes status.json every 2 s, so that a slow disk delays no
  // heartbeat. `report` is the report at its start. `metrics`: where the pages are served, if
  // anywhere; throws as Endpoint does.
  void open(const std::filesystem::path& folder, const reporting::Report& report,
            const std::optional<MetricsAddress>& metrics);
  // The point that is trained or measured now; `runs_done` and `runs_planned` are a sweep's.
  struct Now {
    std::string what, point, sample_unit;
    live::TrainingStatus training;
    std::optional<std::int64_t> runs_done, runs_planned;
    std::optional<double> seconds_left;
  };
  // Describes the settings in words and as fields.
  static Now now_of(const settings::Settings& settings, int world_size,
                    const std::string& sample_unit);
  void publish(Now now);
  void publish(const reporting::Report& report);
  void publish(const reporting::Evaluation& evaluation);
  void take(const std::string& record);  // the newest, which did not come with the heartbeat
  MetricsPages* pages() { return pages_.get(); }  // null: none are served
  // The run has ended as `state`, which is written a last time. end_at_once() is for a process that
  // ends at once, and may be called by any thread: it waits for no other one.
  void end(const std::string& state);
  void end_at_once(const std::string& state) noexcept;

 private:
  live::HeartbeatRecord heartbeat();
  void serve(const MetricsAddress& address, const std::filesystem::path& folder);
  live::Status standing();
  bool write() noexcept;
  void write_now() noexcept;

  RankContext& context_;
  Vitals vitals_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  monitoring::ProcessReader reader_;
  std::mutex heartbeat_mutex_;  // guards reader_ and beats_, since two threads make records
  std::int64_t beats_ = 0;
  std::vector<live::RankStatus> identities_;  // host, device and UUID of every rank; on rank 0

  std::mutex mutex_;  // guards all members below, on rank 0
  struct Seen {
    live::HeartbeatRecord heartbeat;
    double at_s = 0;  // time of the newest heartbeat, by rank 0's clock
  };
  std::vector<Seen> seen_;
  std::map<std::string, live::NodeStatus> nodes_;  // the newest reading of each machine, by host
  live::Status head_;
  Now now_;
  std::optional<double> output_free_bytes_;
  double now_at_s_ = 0;  // time at which now_ was set
  bool shows_points_ = false;
  std::string done_points_;  // the page's part on finished points
  bool ended_ = false;
  std::filesystem::path file_;  // file_ and pages_ do not change once is_open_ is true
  std::atomic<bool> is_open_{false};
  std::timed_mutex write_mutex_;  // guards the file, which end_at_once() writes, too
  double next_write_s_ = 0;
  std::unique_ptr<MetricsPages> pages_;
  std::optional<distributed::Periodic> writer_;  // last, since it uses the members above
};

}  // namespace scalemark::process
