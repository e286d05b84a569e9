// scalemark explain: why N ranks give less than N times.
#include <unistd.h>

#include <utility>
#include <vector>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/read_reports.h"
#include "apps/scalemark/sources.h"
#include "core/base/error.h"
#include "core/reporting/explain/explain.h"
#include "core/reporting/judge/judge.h"

namespace scalemark::cli {
namespace {

struct Given {
  reporting::Report sweep;
  std::vector<reporting::Report> collectives;
};

Given sorted_out(std::vector<reporting::NamedReport> reports) {
  tell_changed_verdicts(reports);
  std::vector<reporting::Report> sweeps;
  Given given;
  for (auto& [name, report] : reports) {
    auto& kind = reporting::measures_collectives(report) ? given.collectives : sweeps;
    kind.push_back(reporting::for_people(std::move(report)));
  }
  if (sweeps.size() != 1) {
    throw usage(std::to_string(sweeps.size()) + " reports of training are given",
                "one is expected; reports of `scalemark comm` may stand beside it");
  }
  given.sweep = std::move(sweeps.front());
  return given;
}

}  // namespace

const HelpPage explain_page = {
    "SWEEP [COMM...]",
    "Says on one screen why N ranks give less than N times: where the efficiency went, with\n"
    "intervals, what a target asks of each cause, what to do, the network in the step beside the\n"
    "network by itself (of reports of `scalemark comm`), what is proven slow, and the option that\n"
    "helped most. Nothing is estimated: what was not measured is named, with what measures it. Of\n"
    "runs that something disturbed it says what did, and the command that repeats them: no number.",
    "  scalemark explain results/runs/sweep\n"
    "  scalemark explain results/runs/sweep results/runs/comm --target 90%\n"};

ExitCode explain_command(const Invocation& invocation) {
  if (invocation.positionals.empty()) {
    throw usage("no report is given", "a report of `scalemark sweep` is expected");
  }
  const settings::ToolValues values = read_tool_values(invocation);
  const Given given = sorted_out(read_named_reports(invocation.positionals));
  std::vector<const reporting::Report*> collectives;
  for (const auto& report : given.collectives) collectives.push_back(&report);
  const auto explanation = reporting::explain(
      given.sweep, collectives,
      {.group = values.text("group").value_or(""), .target = values.number("target").value()});
  return print_result(reporting::explanation_text(explanation, terminal_of(STDOUT_FILENO)));
}

}  // namespace scalemark::cli
