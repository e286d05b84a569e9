// A rank of a task loop as a process: its watchdog, signals and phases, and the queue over the
// run's store.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "engine/process/rank_process.h"
#include "engine/process/task_loop.h"

namespace scalemark::process {

class ProcessLink : public RankLink {
 public:
  // After the preflight. A rank that is lost ends this process through RankProcess::give_up().
  ProcessLink(RankProcess& rank_process, RankContext& context);

  int rank() const override { return context_.world().rank; }
  int size() const override { return context_.world().world_size; }
  distributed::WorkQueue& queue() override { return queue_; }
  c10d::Store& store() override { return *context_.store_pointer(); }
  distributed::Clock& clock() override { return distributed::real_clock(); }
  std::optional<int> received_signal() const override { return distributed::received_signal(); }
  void enter(const std::string& phase) override { rank_process_.phase_tracker().enter(phase); }
  void heartbeat() override { rank_process_.watchdog().heartbeat(0); }
  void tell(LiveStatus::Now now) override { rank_process_.live().tell(std::move(now)); }
  std::string beat() override { return rank_process_.live().record(); }
  void take(const std::string& beat) override { rank_process_.live().take(beat); }
  std::chrono::milliseconds timeout() const override { return context_.timeout(); }
  ExitCode end_interrupted(const distributed::Stop& stop, const std::string& kept) override {
    return rank_process_.end_interrupted(stop.signal, stop.agreed, kept);
  }

 private:
  RankProcess& rank_process_;
  RankContext& context_;
  distributed::WorkQueue queue_;
};

}  // namespace scalemark::process
