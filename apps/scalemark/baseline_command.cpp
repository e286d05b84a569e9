// scalemark baseline make: what a fleet that is known to be good reaches, for `accept --baseline`.
#include <filesystem>
#include <vector>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/outputs.h"
#include "apps/scalemark/read_reports.h"
#include "apps/scalemark/sources.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/reporting/acceptance/baseline.h"

namespace scalemark::cli {
namespace {

// Nothing that took machines hours is replaced unasked.
std::string output_of(const Invocation& invocation, const settings::ToolValues& values) {
  const auto output = values.text("output");
  if (!output) throw usage("--output is not given", "the name of a file is expected");
  OutputFiles(inputs_of(invocation, values), values.on("overwrite")).check("--output", *output);
  return *output;
}

}  // namespace

const HelpPage baseline_make_page = {
    "FILE|FOLDER...",
    "Makes a baseline of the reports of machines that are known to be good: what 30 % of their\n"
    "devices reach, how well that is known, and how far starts and boots differ. `accept\n"
    "--baseline` judges other machines of the kind by it. Suspects are listed, never dropped.\n"
    "It is better for 8 devices and more, and for a second boot of each machine.",
    "  scalemark baseline make acc/1 acc/2 --output h100.baseline.json\n"
    "  scalemark accept new/1 --baseline h100.baseline.json\n"};

ExitCode baseline_make_command(const Invocation& invocation) {
  if (invocation.positionals.empty()) {
    throw usage("no report is given",
                "reports of a fleet, or folders that hold them, are expected");
  }
  const settings::ToolValues values = read_tool_values(invocation);
  const std::string output = output_of(invocation, values);
  const auto baseline =
      acceptance::make_baseline(read_fleet(invocation.positionals), reporting::utc_now());
  write_output(output, acceptance::baseline_json(baseline));
  const std::string use = acceptance::is_weak(baseline) ? "weak as it is" : "use it";
  return print_result(acceptance::baseline_summary(baseline) + "written: " + output + "; " + use +
                      ": scalemark accept ... --baseline " + shell_word(output) + "\n");
}

}  // namespace scalemark::cli
