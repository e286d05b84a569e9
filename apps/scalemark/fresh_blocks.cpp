#include "apps/scalemark/fresh_blocks.h"

#include <chrono>
#include <span>
#include <vector>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/start_ranks.h"
#include "core/base/durations.h"
#include "core/base/error.h"
#include "core/planning/agenda.h"
#include "core/reporting/earlier.h"
#include "core/reporting/render/render.h"

namespace scalemark::cli {
namespace {

// How a session ends that has added its block: all well, or with rows that are not ok.
bool goes_on(ExitCode code) {
  return code == ExitCode::kPass || code == ExitCode::kUnsure || code == ExitCode::kOutOfMemory;
}

bool wants_another_block(const SettledSweep& settled, double elapsed_s) {
  const auto earlier = reporting::read_earlier(settled.base.settings.general.output);
  planning::Agenda agenda(settled.plan, earlier ? reporting::earlier_runs(*earlier)
                                                : std::vector<planning::EarlierRun>{});
  return agenda.next(elapsed_s).has_value();
}

void show(const settings::GeneralSettings& general) {
  const auto report = reporting::read_earlier(general.output);
  if (general.quiet || !report) return;
  print_result(reporting::render_console(std::span(&*report, 1)));
}

}  // namespace

ExitCode run_in_fresh_blocks(const Invocation& invocation, const SettledSweep& settled) {
  if (!settled.base.detection.node || settled.base.detection.node->nnodes > 1) {
    throw configuration(
        "--fresh-process: these ranks belong to another launcher or to several nodes",
        "the built-in launcher on one node can start them anew",
        "leave --fresh-process out, or start scalemark without a launcher");
  }
  const auto begun = std::chrono::steady_clock::now();
  ExitCode code = ExitCode::kPass;
  do {
    code = start_ranks(invocation, settled.base);
  } while (goes_on(code) && wants_another_block(settled, seconds_since(begun)));
  show(settled.base.settings.general);
  return code;
}

}  // namespace scalemark::cli
