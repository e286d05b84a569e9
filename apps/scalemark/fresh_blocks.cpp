#include "apps/scalemark/fresh_blocks.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/start_ranks.h"
#include "core/base/durations.h"
#include "core/base/error.h"
#include "core/planning/agenda.h"
#include "core/reporting/earlier.h"
#include "core/reporting/plan_summary.h"
#include "core/reporting/render/render.h"
#include "core/reporting/render/renderings.h"
#include "core/reporting/report_json.h"
#include "core/reporting/sweep_end.h"
#include "core/reporting/writer.h"

namespace scalemark::cli {
namespace {

// How a session ends that has added its block: all well, or with rows that are not ok.
bool goes_on(ExitCode code) {
  return code == ExitCode::kPass || code == ExitCode::kUnsure || code == ExitCode::kOutOfMemory;
}

// The sweep as a whole, of which each session of ranks saw one block.
class Blocks {
 public:
  explicit Blocks(const SettledSweep& settled) : settled_(settled) {}

  bool another(double elapsed_s, double longest_s) {
    read();
    const auto& limit_s = settled_.plan.stop.max_time_s;
    // The agenda cannot know how long a block takes here: it is made anew.
    return agenda_->next(limit_s ? elapsed_s + longest_s : elapsed_s).has_value();
  }

  // Shows the whole, says why it does not end with 0, and puts that into the report and its
  // renderings: the last session wrote what its block said.
  ExitCode end() {
    if (!report_) read();
    const auto end = reporting::end_of_sweep(*report_, settled_.plan, *agenda_);
    reporting::summarise_by_plan(*report_, settled_.plan, agenda_->stop_reasons());
    report_->exit_code = static_cast<int>(end.exit_code);
    const auto& general = settled_.base.settings.general;
    const std::filesystem::path folder = general.output;
    reporting::write_renderings(folder, *report_);
    reporting::write_atomically(folder / "report.json", reporting::to_json(*report_));
    if (!general.quiet) print_result(reporting::render_console(std::span(&*report_, 1)));
    if (!end.why.empty()) print_note(end.why);
    return end.exit_code;
  }

 private:
  void read() {
    report_ = reporting::read_earlier(settled_.base.settings.general.output);
    if (!report_) throw io_error("the report of the last block is gone");
    agenda_.emplace(settled_.plan, reporting::earlier_runs(*report_));
  }

  const SettledSweep& settled_;
  std::optional<reporting::Report> report_;
  std::optional<planning::Agenda> agenda_;
};

}  // namespace

ExitCode run_in_fresh_blocks(const Invocation& invocation, const SettledSweep& settled,
                             reporting::ExistingFolder existing) {
  if (!settled.base.detection.node || settled.base.detection.node->nnodes > 1) {
    throw configuration(
        "--fresh-process: these ranks belong to another launcher or to several nodes",
        "the built-in launcher on one node can start them anew",
        "leave --fresh-process out, or start scalemark without a launcher");
  }
  reporting::prepare_output_folder(settled.base.settings.general.output, existing);
  const auto begun = std::chrono::steady_clock::now();
  Blocks blocks(settled);
  ExitCode code = ExitCode::kPass;
  double longest_s = 0, now_s = 0;
  do {
    const double began_s = now_s;
    code = start_ranks(invocation, settled.base);
    now_s = seconds_since(begun);
    longest_s = std::max(longest_s, now_s - began_s);
  } while (goes_on(code) && blocks.another(now_s, longest_s));
  return goes_on(code) ? blocks.end() : code;
}

}  // namespace scalemark::cli
