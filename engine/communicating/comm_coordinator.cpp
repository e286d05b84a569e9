#include "engine/communicating/comm_coordinator.h"

#include <iostream>
#include <span>
#include <utility>

#include "core/reporting/collectives/words.h"
#include "core/reporting/render/render.h"
#include "engine/distributed/interrupt.h"
#include "engine/distributed/stop_agreement.h"

namespace scalemark::communicating {

CommCoordinator::CommCoordinator(process::RankProcess& rank_process, process::RankContext& context,
                                 const CommRequest& request, distributed::WorkQueue& queue,
                                 CommMember& member, CommReport& report)
    : rank_process_(rank_process),
      context_(context),
      request_(request),
      plan_(request.plan),
      queue_(queue),
      member_(member),
      report_(report) {}

ExitCode CommCoordinator::run() {
  if (plan_.pairs) {
    queue_.post(encode(CommCommand{.batch = {}, .pairs = true}));
    report_.add(member_.run_pairs(*plan_.pairs));
  }
  report_.add_skipped_points();
  for (int block = 0; block < plan_.repetitions; ++block) {
    if (const auto signal = run_block(block)) return stop(*signal);
    report_.summarise();
  }
  return finish();
}

// The signal that ended it early.
std::optional<int> CommCoordinator::run_block(int block) {
  const auto batches = planning::batches_of_block(plan_, block);
  runs_in_block_ = 0;
  for (std::size_t number = 0; number < batches.size(); ++number) {
    if (const auto signal = requested_signal()) return signal;
    const auto message = queue_.post(encode(CommCommand{.batch = BatchId{block, number}}));
    const auto signal = member_.run(
        "comm/" + std::to_string(message.number), batches[number],
        [&](const auto& point, const std::string& started, const CollectiveOutcome& outcome) {
          record(block, point, started, outcome);
        });
    if (signal) return signal;
  }
  return std::nullopt;
}

void CommCoordinator::record(int repetition, const planning::CollectivePoint& point,
                             const std::string& started, const CollectiveOutcome& outcome) {
  rank_process_.phase_tracker().enter("report");
  say(reporting::line_of(report_.add(point, repetition, runs_in_block_++, started, outcome)));
}

void CommCoordinator::say(const std::string& line) const {
  const auto& general = request_.run.settings.general;
  if (!general.quiet && !general.no_progress) std::cerr << line << std::endl;
}

std::optional<int> CommCoordinator::requested_signal() const {
  if (const auto signal = distributed::received_signal()) return signal;
  return distributed::requested_stop(*context_.store_pointer());
}

ExitCode CommCoordinator::stop(int signal) {
  report_.summarise();
  queue_.post_last(encode(CommCommand{.batch = {}, .signal = signal}));
  const ExitCode code = rank_process_.end_interrupted(signal, /*agreed=*/true);
  report_.render_what_is_there();
  return code;
}

ExitCode CommCoordinator::finish() {
  report_.summarise();
  if (!request_.topology_file.empty()) report_.save_topology(request_.topology_file);
  const auto [exit_code, why] = report_.close();
  queue_.post_last(encode(CommCommand{.batch = {}, .exit_code = static_cast<int>(exit_code)}));
  const auto& general = request_.run.settings.general;
  if (!general.quiet) {
    const reporting::Report report = report_.report();
    std::cerr << "report: " << general.output << "/report.json, report.md, report.html"
              << std::endl;
    std::cout << reporting::render_console(std::span(&report, 1)) << std::flush;
  }
  if (!why.empty()) std::cerr << "scalemark: " << why << std::endl;
  return exit_code;
}

}  // namespace scalemark::communicating
