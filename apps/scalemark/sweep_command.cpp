// scalemark sweep: from options to a plan, and from there to the engine.
#include "apps/scalemark/commands.h"
#include "apps/scalemark/plan_table.h"
#include "apps/scalemark/settle_sweep.h"
#include "core/base/error.h"

namespace scalemark::cli {
namespace {

ExitCode print_plan(const SettledSweep& settled) {
  const bool json = settled.base.settings.general.log_format == "json";
  return print_result(json ? plan_document(settled) : plan_table(settled));
}

// The engine takes over from here: `settled.plan` and the resolved settings are complete, nothing
// has been launched, loaded or written.
ExitCode run_plan(const Invocation&, SettledSweep) {
  throw configuration("the sweep cannot run yet", "sweep --dry-run prints its plan");
}

}  // namespace

ExitCode sweep_command(const Invocation& invocation) {
  if (!invocation.positionals.empty()) exactly(invocation, 0, "options only");
  SettledSweep settled = settle_sweep(invocation);  // every problem at once
  if (settled.base.settings.general.dry_run) return print_plan(settled);
  return run_plan(invocation, std::move(settled));
}

}  // namespace scalemark::cli
