// Says of a run that stands who is missing, how each rank stands, and of what kind that is.

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <utility>

#include "core/base/host_name.h"
#include "engine/process/hang_watch.h"
#include "report/keep/disk.h"
#include "report/record/report.h"

namespace scalemark::process {
namespace {

constexpr std::chrono::milliseconds kHangLimit{1500};  // within Watchdog::kFatalReportLimit
constexpr std::size_t kMostExplained = 4;              // ranks in one line

}  // namespace

HangWatch::Found HangWatch::look_around(std::int64_t before, std::chrono::milliseconds limit) {
  RankContext* context = context_;
  Found found;
  if (context == nullptr) return found;
  post_position();
  const int size = context->world().world_size;
  found.ranks.resize(static_cast<std::size_t>(size));
  const auto group = context->group_in_use();
  distributed::PositionOfRank positions;
  const auto notes = notes_after(before, limit);
  if (size > 1 && group.count) {
    positions =
        distributed::posted_positions(context->error_store().store(), distributed::all_ranks(size));
    found.missing = distributed::who_is_missing(positions, group.members, group.count->group());
    found.late = distributed::late_ranks(positions, group.members, group.count->group());
  }
  for (std::size_t i = 0; i < found.ranks.size(); ++i) {
    live::StandingRank& rank = found.ranks[i];
    rank.rank = static_cast<int>(i);
    rank.is_late = std::ranges::find(found.late, rank.rank) != found.late.end();
    const auto at = positions.find(rank.rank);
    if (at == positions.end()) continue;
    rank.phase = at->second.phase;
    rank.step = at->second.step;
    rank.collectives = static_cast<std::int64_t>(at->second.collectives);
  }
  live::add_notes(found.ranks, notes);
  for (auto& [rank, seen] : beside()) {  // they stand so now
    live::StandingRank& one = found.ranks.at(static_cast<std::size_t>(rank));
    // One that told how it stands and is gone now came to its own deadline first.
    if (one.stacks && seen.second.state == ProcessState::kGone) continue;
    one.pid = seen.first;
    one.process = std::move(seen.second);
    if (one.host.empty()) one.host = context->host();
  }
  // One that was stopped within the collective has begun it, too.
  for (live::StandingRank& rank : found.ranks) {
    if (!rank.process) continue;
    const auto& [state, asleep_in] = *rank.process;
    if (state == ProcessState::kStopped || state == ProcessState::kGone || !asleep_in.empty())
      rank.is_late = true;
  }
  // Where no rank is in a collective, each stands for a reason of its own.
  live::StandingRank& own = found.ranks.at(static_cast<std::size_t>(request_.world.rank));
  if (found.missing.empty()) own.is_late = live::kind_of(own) != HangKind::kWaits;
  return found;
}

void HangWatch::explain(ErrorRecord& hang) {
  Found found = look_around(before_stall_, kHangLimit);
  if (!found.missing.empty()) hang.what += "; " + found.missing;
  std::vector<const live::StandingRank*> guilty;
  for (const live::StandingRank& rank : found.ranks) {
    if (rank.is_late) guilty.push_back(&rank);
  }
  for (std::size_t i = 0; i < std::min(guilty.size(), kMostExplained); ++i)
    hang.what += "; " + live::in_words(*guilty[i]);
  if (!guilty.empty()) hang.domain = live::domain_of(live::kind_of(*guilty.front()));
  if (guilty.empty() && !found.missing.empty()) hang.domain = ErrorDomain::kNetwork;
  const std::lock_guard lock(mutex_);
  found_ = std::move(found);
}

void HangWatch::explain_loss(ErrorRecord& loss, int suspect) {
  std::optional<Neighbour> process;
  {
    const std::lock_guard lock(mutex_);
    const auto found = neighbours_.find(suspect);
    if (found != neighbours_.end()) process = found->second;
  }
  if (!process) return;
  live::StandingRank rank{.rank = suspect,
                          .host = host_name(),
                          .pid = process->pid,
                          .is_late = true,
                          .phase = {},
                          .step = {},
                          .collectives = {},
                          .process = monitoring::standing_of(process->pid),
                          .stacks = {}};
  const HangKind kind = live::kind_of(rank);
  if (kind == HangKind::kBusy || kind == HangKind::kGone) return;  // its end says more
  loss.what = live::in_words(rank) + "; " + loss.what;
  loss.domain = live::domain_of(kind);
  loss.rank = suspect;
  loss.host = host_name();
}

void HangWatch::complete(ErrorRecord& fault) {
  // Without a number it is the store that is lost: rank 0's, where that is beside this one.
  if (fault.code == kPeerLostCode) return explain_loss(fault, fault.rank.value_or(0));
  if (fault.code != kHangCode || fault.hang || request_.world.rank != 0) return;
  std::optional<Found> found;
  {
    const std::lock_guard lock(mutex_);
    found = std::move(found_);
  }
  if (!found) found = look_around(before_stall_, kHangLimit);
  fault.hang = keep(*found, "rank " + std::to_string(fault.rank.value_or(0)) + ": " + fault.what);
}

// Without a report there is no folder to write to.
std::optional<Hang> HangWatch::keep(const Found& found, std::string_view why) {
  Hang hang;
  for (const live::StandingRank& rank : found.ranks) hang.ranks.push_back(live::summary_of(rank));
  const std::filesystem::path output = request_.settings.general.output;
  std::error_code unknown;
  if (output.empty() || !std::filesystem::exists(output / "report.json", unknown)) return hang;
  std::filesystem::create_directory(output / live::kHangFolder, unknown);
  reporting::write_atomically(output / live::kHangFolder / live::kStacksFile,
                              live::text_of(found.ranks, why, reporting::utc_now()));
  hang.folder = live::kHangFolder;
  return hang;
}

}  // namespace scalemark::process
