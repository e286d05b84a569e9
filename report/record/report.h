// A whole report as plain records: who ran what where, the points, and what there is to say about
// them. report_json.h writes and reads it, writer.h keeps it on disk, table.h shows it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/machine/host.h"
#include "core/machine/nccl_log.h"
#include "report/record/collective_records.h"
#include "report/record/comparison.h"
#include "report/record/records.h"
#include "report/record/sweep_records.h"

namespace scalemark::reporting {

inline constexpr const char* kSchema = "scalemark.report/1";

enum class ReportStatus { kPartial, kComplete, kInterrupted, kFailed };
constexpr auto words_of(ReportStatus) {
  return std::to_array<Word<ReportStatus>>({{ReportStatus::kPartial, "partial"},
                                            {ReportStatus::kComplete, "complete"},
                                            {ReportStatus::kInterrupted, "interrupted"},
                                            {ReportStatus::kFailed, "failed"}});
}

struct LibraryVersion {
  std::optional<std::string> built_with, running_with;
};

struct Tool {
  std::string version, git_commit;
  bool git_dirty = false;
  std::string build_type, compiler;
  std::map<std::string, LibraryVersion> libraries;  // libtorch, cuda, cudnn, nccl, mpi, ...
};

Tool this_tool();  // `libraries` stays empty

struct Invocation {
  std::string command;       // "train"
  std::string command_line;  // exactly what was typed
  std::string launcher;      // single | local | torch | slurm | ...
  // Words before it, as a shell takes them: "mpirun -n 2 --host a,b"; empty: not known.
  std::string launcher_command = {};
  std::string settings_json;  // one JSON object: settings::to_json
  std::map<std::string, std::string> origins;
  std::string about = {};  // the config file describes itself so; empty: it does not
};

// An option that --scale-down changed, so that the run fits the machine and a given time.
struct ScaledDown {
  std::string option, from, to;
};

struct Environment {
  std::vector<monitoring::Host> hosts;
  std::map<std::string, std::string> variables;  // only those that may be published
};

enum class VerdictLevel { kQuotable, kWithCare, kDoNotQuote };
constexpr auto words_of(VerdictLevel) {
  return std::to_array<Word<VerdictLevel>>({{VerdictLevel::kQuotable, "quotable"},
                                            {VerdictLevel::kWithCare, "with_care"},
                                            {VerdictLevel::kDoNotQuote, "do_not_quote"}});
}

struct VerdictReason {
  std::string code, text;
  std::string remedy;  // raises the verdict; empty: nothing known does
};

// How far the numbers are to be trusted, as verdict.h finds.
struct Verdict {
  VerdictLevel level = VerdictLevel::kQuotable;
  std::vector<VerdictReason> reasons;  // the three gravest, then kJudgedAnew where it applies
};

struct Report {
  // Verdict, exit code and end stay empty while the report is partial.
  std::optional<Verdict> verdict;
  ReportStatus status = ReportStatus::kPartial;
  std::optional<int> exit_code;
  std::string started;   // RFC 3339, UTC
  std::string finished;  // RFC 3339, UTC
  std::string run_id;
  Tool tool;
  Invocation invocation;
  std::vector<ScaledDown> scaled_down;
  Environment environment;
  std::vector<PointRecord> points;
  // Only a sweep fills these.
  std::vector<GroupRecord> groups;
  std::vector<ScalingTable> scaling;
  std::vector<Straggler> stragglers;
  std::vector<DeviceRecord> devices;
  std::optional<FastestPoint> fastest;
  std::vector<DataGap> data_gaps;
  std::vector<EffectRecord> effects;
  std::vector<TuningRecord> tuning;
  std::vector<CommunicationLimit> communication_limits;
  std::optional<Drift> drift;
  std::vector<SessionRecord> sessions;
  std::vector<Prediction> predictions;
  std::vector<TelemetryRecord> telemetry;
  std::vector<FingerprintRecord> fingerprint;  // `doctor --measure` fills it, too
  std::vector<ReplayRecord> replays;
  std::vector<HealthRecord> health;          // `comm` fills it, too
  std::vector<monitoring::NcclChoice> nccl;  // `comm --pairs` fills it, too
  // Only `comm` fills these.
  std::vector<CollectiveRecord> collectives;
  std::vector<CollectiveGroup> collective_groups;
  std::vector<CollectiveWinners> collective_winners;
  std::vector<CollectiveFit> collective_fits;
  std::vector<LinkRecord> links;    // runs over several nodes fill it, too
  std::vector<ClaimRecord> claims;  // only `reproduce` fills it
  std::vector<Finding> findings;
  std::vector<ErrorRecord> errors;
};

struct NamedReport {
  std::string name;  // given on the command line
  Report report;
};

// Whether the report is of collectives (`comm`) and not of training.
bool measures_collectives(const Report& report);

// Returns what stands before the command of a rank that another launcher started, which typed by
// itself would start other ranks: "mpirun -n 2 --host a,b ". Where the words of the launcher are
// not known, they are made of its ranks and nodes, with "..." for what these do not tell.
std::string launcher_prefix(const Invocation& invocation, int ranks, std::size_t nodes);

// Returns the command that measured the report, behind its launcher's, for another folder: without
// --output, --tensorboard, --overwrite and --resume. Empty where it is no command of ours. The
// report may come from anywhere, so its words are quoted anew.
std::string repeat_command(const Report& report);

// Returns "2026-01-02T03:04:05Z".
std::string utc_now();

}  // namespace scalemark::reporting
