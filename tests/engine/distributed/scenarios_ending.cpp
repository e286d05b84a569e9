// Scenarios of disagreement, hangs, uncaught exceptions and interruption.
#include <signal.h>
#include <unistd.h>

#include <stdexcept>
#include <thread>

#include "engine/distributed/stop_agreement.h"
#include "engine/distributed/watchdog.h"
#include "tests/engine/distributed/rank_setup.h"

namespace scalemark::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

distributed::OnFatal speak() {
  return [](const ErrorRecord& record) { say(format_error_line(record)); };
}

distributed::FindCause find_cause_of(Run& run) {
  return [&run]() -> std::optional<ErrorRecord> {
    const auto cause = run.error_store.find_cause(milliseconds(500));
    if (!cause.record) return std::nullopt;
    return distributed::caused_by(*cause.record, run.rank());
  };
}

// Rank 1 hangs at step 7; with rest "post" it has said why before.
void hang(Run& run) {
  distributed::Watchdog watchdog(speak(), find_cause_of(run));
  watchdog.set_phase("preflight", seconds(30));
  auto control = control_group(run);
  watchdog.set_phase("window", milliseconds(1500));
  for (int step = 0;; ++step) {
    watchdog.heartbeat(step);
    if (run.rank() == 1 && step == 7) {
      if (!run.arguments.rest.empty()) {
        run.error_store.post({.code = "E_OUT_OF_MEMORY",
                              .exit_code = ExitCode::kOutOfMemory,
                              .what = "asked for 9 GB"});
      }
      std::this_thread::sleep_for(seconds(60));
    }
    control.barrier();
  }
}

// Rank 0 does not answer any more, as when its host vanishes: no connection is closed.
void vanishing_host(Run& run) {
  distributed::Watchdog watchdog(speak(),
                                 [&run] { return distributed::cause_of_hang(run.error_store); });
  watchdog.set_phase("wait", seconds(30));
  auto control = control_group(run);
  control.barrier();
  if (run.rank() == 0) {
    say("vanishes");
    raise(SIGSTOP);
  }
  watchdog.set_phase("wait", milliseconds(1500));
  run.joined.store->wait({"never"}, seconds(60));
}

void throw_in_a_thread(Run& run) {
  distributed::TerminateGuard guard(speak());
  const std::string text = run.arguments.rest.at(0);
  std::thread([text] { throw std::runtime_error(text); }).join();
}

struct Loop {
  bool collective = false;
  bool stuck = false;  // rank 1 stops itself in its fourth step, and rank 0 waits for it
  int step_ms = 5;
};

// rest: barrier|stuck|alone STEP_MS
void interrupted(Run& run) {
  const auto& rest = run.arguments.rest;
  const bool stuck = rest.at(0) == "stuck";
  const Loop loop{stuck || rest.at(0) == "barrier", stuck, std::stoi(rest.at(1))};
  constexpr int kMostSteps = 4000;
  distributed::InterruptHandlers handlers(9);
  auto control = control_group(run);
  std::optional<distributed::Stop> stop;
  int done = 0;
  {
    distributed::StopAgreement agreement(
        run.error_store.store(), "loop", run.rank(), run.size(), {.on_overdue = [](int signal) {
          say("overdue");
          _exit(static_cast<int>(distributed::exit_code_of_signal(signal)));
        }});
    say("looping");
    while (done < kMostSteps && agreement.may_begin(done)) {
      if (loop.stuck && done == 3) {
        if (run.rank() == 1) raise(SIGSTOP);
        say("at the barrier");
      }
      if (loop.collective) control.barrier();
      std::this_thread::sleep_for(milliseconds(loop.step_ms * (run.rank() + 1)));
      ++done;
    }
    stop = agreement.stop();
  }
  say("steps " + std::to_string(done));
  if (!stop) return;
  say(stop->agreed ? "agreed" : "not agreed");
  // Rank 0 must not take the agreement with it before the others have read it; but a peer that
  // never answered is not worth a long wait.
  run.error_store.leave(stop->agreed ? distributed::ErrorStore::kLeaveLimit : milliseconds(1000));
  _exit(static_cast<int>(distributed::exit_code_of_signal(stop->signal)));
}

}  // namespace

std::vector<std::pair<std::string, Scenario>> ending_scenarios() {
  return {{"hang", hang},
          {"vanishing_host", vanishing_host},
          {"throw_in_a_thread", throw_in_a_thread},
          {"interrupted", interrupted}};
}

}  // namespace scalemark::testing
