#include "engine/process/task_loop.h"

#include <algorithm>
#include <iostream>
#include <utility>

#include "core/base/durations.h"
#include "core/base/error.h"
#include "core/base/wire.h"
#include "engine/distributed/control_group.h"

namespace scalemark::process {
namespace {

using distributed::Stop;
using distributed::WorkMessage;

struct End {
  std::optional<Stop> stop;
  ExitCode exit_code = ExitCode::kPass;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<End>& e) {
  a.values(e.stop, e.exit_code);
}

struct Message {
  std::optional<std::string> task;  // empty: the loop ends
  End end;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<Message>& m) {
  a.values(m.task, m.end);
}

WorkMessage post(RankLink& link, const std::string& task) {
  const Message message{.task = task, .end = {}};
  return {.number = link.queue().post(to_wire(message)).number, .text = task};
}

void post_last(RankLink& link, const End& end) {
  link.queue().post_last(to_wire(Message{.task = {}, .end = end}));
}

}  // namespace

ExitCode TaskLoop::lead(TaskLeader& leader) {
  leader.begin();
  while (true) {
    const auto task = leader.next();
    if (!task) break;  // a signal that comes now has nothing left to stop
    if (const auto signal = requested_signal()) return stop(leader, {.signal = *signal});
    if (const auto stopped = leader.run(post(link_, *task))) return stop(leader, *stopped);
  }
  const ExitCode code = leader.close();
  post_last(link_, {.stop = {}, .exit_code = code});
  leader.show();
  return code;
}

ExitCode TaskLoop::stop(TaskLeader& leader, const Stop& stop) {
  const std::string kept = leader.close_stopped();
  post_last(link_, {.stop = stop});
  const ExitCode code = link_.end_interrupted(stop, kept);
  try {
    leader.show_stopped();
  } catch (const std::exception& error) {
    std::cerr << "scalemark: while ending: " << remark_of(error) << std::endl;
  }
  return code;
}

ExitCode TaskLoop::follow(TaskFollower& follower) {
  std::int64_t seen = 0;
  while (true) {
    link_.enter("wait");
    WorkMessage message = link_.queue().next(seen, [&] {
      link_.heartbeat();
      pass_on_signal();
    });
    seen = message.number;
    follower.release();  // a new message means that all members have reported on the last one
    auto [task, end] = from_wire<Message>(message.text);
    if (!task) return end.stop ? link_.end_interrupted(*end.stop) : end.exit_code;
    message.text = *std::move(task);
    follower.take_part(message);
  }
}

std::optional<int> TaskLoop::requested_signal() {
  if (const auto signal = link_.received_signal()) return signal;
  return distributed::requested_stop(link_.store());
}

void TaskLoop::pass_on_signal() {
  if (const auto signal = link_.received_signal()) {
    distributed::request_stop(link_.store(), *signal);
  }
}

TaskLoop::Results TaskLoop::collect(std::int64_t number, const std::vector<int>& members,
                                    const KeepWaiting& keep_waiting, bool idle) {
  return link_.queue().result_texts(number, members, keep_waiting, [&] {
    link_.heartbeat();
    if (idle) pass_on_signal();
  });
}

TaskLoop::Results TaskLoop::ask_all(const std::string& task,
                                    const std::function<std::string()>& answer, Waits waits) {
  const WorkMessage message = post(link_, task);
  link_.queue().report_result(message.number, answer(), /*failed=*/false);
  return collect(
      message.number, distributed::all_ranks(link_.size()),
      [&](const Results&, std::chrono::milliseconds waited) {
        return waits == Waits::kWhileTheyLive || waited < link_.timeout();
      },
      /*idle=*/true);
}

namespace {

// Returns the poll period. A waiting rank sends a heartbeat at every poll, so the period must be
// shorter than the heartbeat's deadline.
std::chrono::milliseconds waiting_poll_period(RankProcess& rank_process) {
  return std::min(milliseconds_of(rank_process.phase_tracker().timeout_of("wait") / 4),
                  distributed::WorkQueue::kPollPeriod);
}

}  // namespace

ProcessLink::ProcessLink(RankProcess& rank_process, RankContext& context)
    : rank_process_(rank_process),
      context_(context),
      queue_(context.store_pointer(), context.world().rank, context.world().world_size,
             context.error_store(), context.timeout(), rank_process.heartbeat_hooks(),
             waiting_poll_period(rank_process)) {
  rank_process.end_when_overdue();
}

}  // namespace scalemark::process
