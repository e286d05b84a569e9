#include "engine/running/sweep_run.h"

#include <algorithm>
#include <chrono>

#include "core/base/durations.h"
#include "core/monitoring/process_age.h"
#include "engine/distributed/stop_agreement.h"
#include "engine/running/data_shelf.h"
#include "engine/running/memory_advice.h"
#include "engine/running/point_run.h"
#include "engine/running/rank_life.h"
#include "engine/running/sweep_lead.h"
#include "engine/running/sweep_report.h"
#include "engine/running/task_wire.h"

namespace scalemark::running {
namespace {

// A rank without a task passes a signal on that only it has got.
void pass_on_signal(const c10::intrusive_ptr<c10d::Store>& store) {
  if (const auto signal = distributed::received_signal()) {
    distributed::request_stop(*store, *signal);
  }
}

// A time limit counts from where a person's clock begins.
std::chrono::steady_clock::time_point process_began() {
  const auto age = monitoring::process_age().value_or(std::chrono::duration<double>(0));
  return std::chrono::steady_clock::now() -
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(age);
}

// A waiting rank shows between its looks that it lives, within its own deadline.
std::chrono::milliseconds look_of_waiting(RankLife& life) {
  return std::min(milliseconds_of(life.progression().timeout_of("wait") / 4),
                  distributed::TaskBoard::kLook);
}

ExitCode end(RankLife& life, const Directive& directive) {
  if (directive.signal != 0) return life.end_interrupted(directive.signal, directive.agreed);
  return static_cast<ExitCode>(directive.exit_code);
}

// Every rank but 0: does what the notices say.
ExitCode follow(RankLife& life, Session& session, const planning::Plan& plan,
                distributed::TaskBoard& board, PointRun& point_run) {
  std::int64_t seen = 0;
  while (true) {
    life.progression().enter("wait");
    const distributed::Notice notice = board.next(seen, [&] {
      life.watchdog().heartbeat(0);
      pass_on_signal(session.store_pointer());
    });
    seen = notice.number;
    point_run.settle();  // of the notice before: a new one means that everybody has voted on it
    const Directive directive = decode_directive(notice.text);
    if (!directive.task) return end(life, directive);
    const auto& members = plan.points[directive.task->run.point].members;
    if (std::ranges::find(members, session.world().rank) == members.end()) continue;
    point_run.run(notice.number, *directive.task);
  }
}

ExitCode sweep_as(RankLife& life, const SweepRequest& request) {
  const auto begun = process_began();
  planning::Plan plan = request.plan;
  Session& session = life.meet();
  session.device().limit_memory(memory_limit(request.run.settings, session));
  life.progression().enter("data");
  const DataShelf shelf(plan);
  auto facts = common_facts(request.run);
  facts["sweep.plan"] = planning::settings_fingerprint(plan);
  facts["data.identity"] = shelf.identity();
  life.compare(facts);
  planning::assign_members(plan, session.node_of_rank());

  distributed::TaskBoard board(
      session.store_pointer(), session.world().rank, session.world().world_size, session.board(),
      session.timeout(), [&](const ErrorRecord& loss) { life.give_up(loss); },
      look_of_waiting(life));
  PointRun point_run(life, session, board, shelf, plan);
  SweepReport report(life, session, plan, shelf);
  if (session.world().rank == 0) {
    return SweepLead(life, session, plan, board, point_run, report, begun).run();
  }
  return follow(life, session, plan, board, point_run);
}

}  // namespace

ExitCode sweep(const SweepRequest& request) noexcept {
  return lived_by(request.run, [&](RankLife& life) { return sweep_as(life, request); });
}

}  // namespace scalemark::running
