#include "engine/communicating/comm_coordinator.h"

#include <iostream>
#include <span>
#include <utility>

#include "core/base/wire.h"
#include "core/reporting/collectives/words.h"
#include "core/reporting/render/render.h"

namespace scalemark::communicating {

CommCoordinator::CommCoordinator(process::TaskLoop& loop, const CommRequest& request,
                                 CommMember& member, CommReport& report)
    : loop_(loop),
      request_(request),
      plan_(request.plan),
      member_(member),
      report_(report),
      needs_pairs_(plan_.pairs.has_value()),
      batches_(planning::batches_of_block(plan_, 0)) {}

void CommCoordinator::begin() { report_.add_skipped_points(); }

std::optional<std::string> CommCoordinator::next() {
  if (needs_pairs_) return to_wire(CommTask());
  while (block_ < plan_.repetitions) {
    if (batch_ < batches_.size()) return to_wire(CommTask({block_, batch_}));
    report_.summarise();
    batches_ = planning::batches_of_block(plan_, ++block_);
    batch_ = 0;
    runs_in_block_ = 0;
  }
  return std::nullopt;
}

std::optional<distributed::Stop> CommCoordinator::run(const distributed::WorkMessage& message) {
  if (std::exchange(needs_pairs_, false)) {
    report_.add(member_.run_pairs(*plan_.pairs));
    return std::nullopt;
  }
  const auto signal =
      member_.run(batch_name(message), batches_[batch_++],
                  [&](const auto& point, const std::string& started,
                      const CollectiveOutcome& outcome) { record(point, started, outcome); });
  return signal ? std::optional(distributed::Stop{.signal = *signal}) : std::nullopt;
}

void CommCoordinator::record(const planning::CollectivePoint& point, const std::string& started,
                             const CollectiveOutcome& outcome) {
  loop_.link().enter("report");
  const auto row = report_.add(point, block_, runs_in_block_++, started, outcome);
  const auto& general = request_.run.settings.general;
  if (!general.quiet && !general.no_progress) std::cerr << reporting::line_of(row) << std::endl;
}

void CommCoordinator::close_stopped() { report_.summarise(); }

void CommCoordinator::show_stopped() noexcept { report_.render_what_is_there(); }

ExitCode CommCoordinator::close() {
  report_.summarise();
  if (!request_.topology_file.empty()) report_.save_topology(request_.topology_file);
  auto [exit_code, why] = report_.close();
  why_ = std::move(why);
  return exit_code;
}

void CommCoordinator::show() {
  const auto& general = request_.run.settings.general;
  if (!general.quiet) {
    const reporting::Report report = report_.report();
    std::cerr << "report: " << general.output << "/report.json, report.md, report.html"
              << std::endl;
    std::cout << reporting::render_console(std::span(&report, 1)) << std::flush;
  }
  if (!why_.empty()) std::cerr << "scalemark: " << why_ << std::endl;
}

}  // namespace scalemark::communicating
