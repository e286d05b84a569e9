// Commands that start ranks, or run as one: `train`, `sweep` and `comm`. A command says how it
// reads its options, what it needs and what it asks of the engine; run_rank_command() does the
// rest, in one order for all.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apps/scalemark/command_line.h"
#include "apps/scalemark/outputs.h"
#include "core/launch/detect.h"
#include "core/machine/places.h"
#include "core/settings/layers.h"
#include "core/settings/machine.h"
#include "core/settings/problem.h"
#include "core/settings/settings.h"
#include "engine/api/engine_api.h"
#include "report/keep/output_folder.h"
#include "report/record/report.h"

namespace scalemark::cli {

// Settings and ranks together: a launcher decides how many ranks there are, and the settings depend
// on that; which launcher is asked depends on the settings. `ranks` counts processes of the launch.
// `places` come from --bind, `metrics` from --metrics-port, `about` from the config file.
struct ResolvedCommand {
  settings::Settings settings;
  launching::Detection detection;
  settings::RankCount ranks;
  std::string mpi_library;               // see resolve_mpi(); empty: none
  int meshes = 0;                        // see launching::descriptors_of_rank()
  std::vector<placement::Place> places;  // by local rank; empty: none are bound
  std::string given_cpus;                // the CPUs that this process had before; empty: not bound
  std::string date;                      // it replaces {date}; ranks that are started get it
  std::optional<process::MetricsAddress> metrics;
  bool yes = false;                                // --yes: a long plan is meant
  bool details = false;                            // --details: --dry-run prints all of the plan
  std::string assumed;                             // see assume_gpus()
  std::string about;                               // empty: the file says nothing
  std::vector<reporting::ScaledDown> scaled_down;  // --scale-down changed these
};

// Rank 0, or the launcher that will start it: the process that writes the run's files.
inline bool holds_rank_0(const launching::Detection& detection) {
  return (detection.node ? detection.node->node_rank : detection.world.rank) == 0;
}

class RankCommand {
 public:
  virtual ~RankCommand() = default;

  // The part that all such commands have.
  virtual ResolvedCommand& base() = 0;

  // The first pass, without ranks: reads the command's options out of `raw`, and returns those that
  // decide which ranks there are. Here and in resolve() all that is wrong goes into `problems`.
  struct RankOptions {
    settings::RawSettings values;
    // True: these are all settings, so that their problems do not depend on the ranks.
    bool all = false;
  };
  virtual RankOptions read(const settings::RawSettings& raw, const settings::Machine& machine,
                           std::vector<settings::Problem>& problems) = 0;
  // The second pass, when the ranks are known: fills in base().settings, or the plan. Returns notes
  // for a person, on the settings or on the plan.
  virtual std::vector<std::string> resolve(const settings::Surroundings& around,
                                           std::vector<settings::Problem>& problems) = 0;
  // Fills in the rest that a plan or a rank needs, once nothing was refused.
  virtual void complete() {}

  // The variables of --env that ranks are started with: one environment or several.
  virtual std::vector<settings::Variables> environments() const = 0;
  // Whether each block wants ranks of its own (--fresh-process).
  virtual bool restarts_ranks() const { return false; }
  // The text of --dry-run.
  virtual std::string plan_text(bool json) const = 0;

  // Throws no_input() (66) for inputs that are not there.
  virtual void refuse_missing() const {}
  // Throws for outputs that cannot be written or are inputs; `inputs` has those of any command.
  // Touches nothing.
  virtual void refuse_files(Inputs inputs) const = 0;
  // The length of the plan by the estimate, in s. Absent where options say how long it may take.
  virtual std::optional<double> unlimited_s() const { return std::nullopt; }
  virtual std::string shorter_hint() const {
    return "--scale-down, --quick or fewer values; --max-time 3h; or --yes";
  }
  virtual reporting::ExistingFolder existing_folder() const = 0;
  virtual std::set<std::string> groups_of_runs() const { return {}; }
  // Names of --backend that its runs use.
  virtual std::vector<std::string> backends() const = 0;

  // Whether this process is no rank and starts them; start() does that.
  virtual bool starts_ranks();
  virtual ExitCode start(const Invocation& invocation);
  // Runs this process as one of the ranks. prepare() reads its environment before libraries that
  // may change it are loaded.
  virtual void prepare() {}
  virtual ExitCode run(const api::EngineApi& engine, process::RunRequest request) = 0;
};

// Prints notes and, when something is refused, each problem on stderr before it throws: every
// problem at once, before anything is touched.
ExitCode run_rank_command(const Invocation& invocation, RankCommand& command);

// --- These help read() and resolve().

// Without a launcher, `common` gets `wanted` ranks, over the nodes asked for, unless it says how
// many each node starts. Of more than a node may have the plan refuses what asked for them. A
// launcher from outside counts its ranks by itself.
void fill_in_ranks(settings::RawSettings& common, int wanted);

// Adds those problems that are not in `all` yet.
void add_problems(std::vector<settings::Problem>& all, const std::vector<settings::Problem>& more);

// The node of each rank, if launchers fill nodes one after the other. Once the ranks have met, the
// engine asks every one (planning::assign_members).
std::vector<int> node_of_rank(const settings::RankCount& ranks);

}  // namespace scalemark::cli
