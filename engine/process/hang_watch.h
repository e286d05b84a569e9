// Looks into a run that stands: each rank takes its stacks at half a deadline, or when somebody
// asks by SIGUSR2, and posts them; who is missing and why is added to the error, and rank 0 writes
// hang/ into the output folder. Knows no deadline.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/live/hang.h"
#include "engine/distributed/heartbeat.h"
#include "engine/process/rank_context.h"
#include "engine/process/run_request.h"
#include "engine/process/vitals.h"

namespace scalemark::process {

// Any thread may call any function, each of which takes bounded time. There may be one at a time:
// while it exists, SIGUSR2 asks for the stacks of all ranks, unless that is ignored.
class HangWatch {
 public:
  HangWatch(const RunRequest& request, const PhaseTracker& phase_tracker);
  ~HangWatch();
  HangWatch(const HangWatch&) = delete;
  HangWatch& operator=(const HangWatch&) = delete;

  // The ranks have a store; `context` outlives this object. Tells the others which process it is.
  void join(RankContext& context) noexcept;
  // All ranks have come: learns which processes beside it are ranks.
  void meet() noexcept;

  void post_position() noexcept;
  // Call it once a second or two: refreshes the position, and looks whether somebody asks.
  void beat() noexcept;
  // Half of a deadline is over: all ranks are asked for their stacks.
  void stalled() noexcept;

  // Adds to this rank's own hang who is missing, and why.
  void explain(ErrorRecord& hang);
  // Rank 0 keeps the stacks of a hang, whosever it was; a lost rank's state is told.
  void complete(ErrorRecord& fault);

 private:
  struct Neighbour {
    int pid = 0;
    std::string space;  // the pid is valid in it
  };
  struct Found {
    std::vector<live::StandingRank> ranks;
    std::string missing;  // in words
    std::vector<int> late;
  };

  distributed::Position position() const;
  std::int64_t asked_so_far() const;
  std::int64_t ask(std::int64_t more);
  void answer(std::int64_t number) noexcept;
  live::HangNote note_of_now(std::int64_t number);
  // Waits up to `limit` for the notes of all ranks that are younger than request `before`.
  std::vector<live::HangNote> notes_after(std::int64_t before, std::chrono::milliseconds limit);
  std::map<int, std::pair<int, monitoring::ProcessStanding>> beside();
  Found look_around(std::int64_t before, std::chrono::milliseconds limit);
  // Returns what stands in the report.
  std::optional<Hang> keep(const Found& found, std::string_view why);
  // Adds to the loss of `suspect`, where that is a process beside this one, how it stands.
  void explain_loss(ErrorRecord& loss, int suspect);
  void serve();
  void show(std::int64_t before);

  const RunRequest& request_;
  const PhaseTracker& phase_tracker_;
  std::atomic<RankContext*> context_{nullptr};
  std::mutex mutex_;  // guards the two below
  std::map<int, Neighbour> neighbours_;
  std::optional<Found> found_;  // the hang that is being reported has it
  std::atomic<std::int64_t> seen_{0}, before_stall_{0}, shown_{0};
  std::atomic<bool> over_{false};
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace scalemark::process
