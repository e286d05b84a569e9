#include "apps/scalemark/stuck_rank.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/scalemark/commands.h"
#include "core/base/error.h"
#include "core/base/host_name.h"
#include "core/base/wire.h"
#include "core/launch/outcome.h"
#include "core/live/hang.h"
#include "core/live/status.h"
#include "report/keep/disk.h"
#include "report/keep/writer.h"
#include "report/record/report.h"

namespace scalemark::cli {
namespace {

namespace fs = std::filesystem;
using launching::RankOutcome;

std::optional<live::Status> status_in(const fs::path& folder) try {
  const fs::path file = folder / "status.json";
  const auto text = reporting::read_if_there(file);
  return text ? std::optional(live::parse_status(*text, file.string())) : std::nullopt;
} catch (const Error&) {
  return std::nullopt;
}

// Rank 0 wrote the last position of each rank into status.json, until it stood.
std::vector<live::StandingRank> standing_ranks(const std::vector<RankOutcome>& outcomes,
                                               const std::optional<live::Status>& status) {
  std::size_t size = outcomes.size();
  if (status) size = std::max(size, static_cast<std::size_t>(status->training.world_size));
  std::vector<live::StandingRank> ranks(size);
  for (std::size_t i = 0; i < size; ++i) ranks[i].rank = static_cast<int>(i);
  if (status) {
    for (const live::RankStatus& one : status->ranks) {
      if (one.rank < 0 || static_cast<std::size_t>(one.rank) >= size) continue;
      live::StandingRank& rank = ranks[static_cast<std::size_t>(one.rank)];
      rank.host = one.host;
      rank.phase = one.phase;
      rank.step = one.step;
      rank.collectives = one.collectives;
    }
  }
  std::vector<live::HangNote> notes;
  for (const RankOutcome& outcome : outcomes) {
    if (!outcome.hang_note) continue;
    if (auto note = try_from_wire<live::HangNote>(*outcome.hang_note))
      notes.push_back(*std::move(note));
  }
  // One that was killed may have told something earlier, when somebody asked.
  std::int64_t newest = 0;
  for (const live::HangNote& note : notes) newest = std::max(newest, note.number);
  std::erase_if(notes, [&](const live::HangNote& note) {
    const auto its = std::ranges::find(outcomes, note.rank, &RankOutcome::rank);
    return note.number < newest && its != outcomes.end() && its->stood.has_value();
  });
  live::add_notes(ranks, notes);
  for (const RankOutcome& outcome : outcomes) {
    if (!outcome.stood || static_cast<std::size_t>(outcome.rank) >= size) continue;
    live::StandingRank& rank = ranks[static_cast<std::size_t>(outcome.rank)];
    rank.pid = outcome.pid;
    rank.process = outcome.stood;
    rank.is_late = true;
    if (rank.host.empty()) rank.host = host_name();
  }
  return ranks;
}

// The words of the rank that failed because rank 0 stood, or how that stood.
ErrorRecord error_of(const launching::LaunchResult& result, const live::StandingRank& rank_0) {
  const auto cause = launching::find_cause(result.outcomes);
  for (const RankOutcome& outcome : result.outcomes) {
    if (cause && outcome.rank == cause->rank && outcome.error) return outcome.error->record;
  }
  ErrorRecord error{.code = std::string(kPeerLostCode),
                    .exit_code = static_cast<ExitCode>(result.exit_code),
                    .domain = live::domain_of(live::kind_of(rank_0)),
                    .what = live::in_words(rank_0) + "; the launcher killed it",
                    .rank = 0};
  error.host = rank_0.host;
  return error;
}

void end_status(const fs::path& folder, std::optional<live::Status> status) {
  if (!status) return;
  status->state = std::string(name_of(reporting::ReportStatus::kFailed));
  reporting::write_atomically(folder / "status.json", live::to_json(*status));
}

}  // namespace

void close_for_rank_0(const std::string& folder, const launching::LaunchResult& result,
                      reporting::ExistingFolder existing) noexcept try {
  const auto stuck = std::ranges::find_if(result.outcomes, [](const RankOutcome& outcome) {
    return outcome.rank == 0 && outcome.stood.has_value();
  });
  if (stuck == result.outcomes.end() || result.interrupted_by || folder.empty()) return;
  const auto status = status_in(folder);
  const auto ranks = standing_ranks(result.outcomes, status);
  ErrorRecord error = error_of(result, ranks.front());
  Hang hang{.folder = live::kHangFolder, .ranks = {}};
  for (const live::StandingRank& rank : ranks) hang.ranks.push_back(live::summary_of(rank));
  const std::string text = live::text_of(ranks, error.what, reporting::utc_now());
  error.hang = std::move(hang);
  if (!reporting::close_left_open(folder, std::move(error), result.exit_code, existing)) return;
  reporting::make_folder(fs::path(folder) / live::kHangFolder);
  reporting::write_atomically(fs::path(folder) / live::kHangFolder / live::kStacksFile, text);
  end_status(folder, status);
} catch (const std::exception& error) {
  print_note("the report is left open: " + std::string(remark_of(error)));
}

}  // namespace scalemark::cli
