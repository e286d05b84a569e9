// Every scenario of the test program starts from these: this rank's place, the joined store, the
// error store.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "core/launch/world.h"
#include "engine/distributed/error_store.h"
#include "engine/distributed/groups.h"
#include "engine/distributed/rendezvous.h"

namespace scalemark::testing {

struct Arguments {
  launching::World world;
  launching::Rendezvous rendezvous;
  std::chrono::milliseconds timeout{20000};
  bool joins_at_signal = false;
  std::vector<std::string> rest;  // the scenario reads it
};

// RANK WORLD_SIZE HOST:PORT|file:PATH [run=ID] [timeout_ms=N] [fd=N] [joins_at_signal] [rest...]
Arguments parse(const std::vector<std::string>& words);

struct Run {
  Arguments arguments;
  distributed::Joined joined;
  distributed::ErrorStore error_store;

  int rank() const { return arguments.world.rank; }
  int size() const { return arguments.world.world_size; }
};

using Scenario = std::function<void(Run&)>;

// Joins, runs the scenario, and ends as the program does: an error is posted and printed, its exit
// code returned; then the rank leaves.
int run_scenario(const Arguments& arguments, const Scenario& scenario);

// A rank that is a thread speaks and gets its signals here. A process has stdout and SIGUSR2.
class RankVoice {
 public:
  // The thread that makes it speaks with this voice.
  class Scope {
   public:
    explicit Scope(RankVoice& voice);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
  };

  void say(const std::string& line);
  void close();  // it says nothing more
  bool await_text(const std::string& text);
  std::string text();
  void signal();
  void await_signal();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
  bool closed_ = false;
  int signals_ = 0;
};

void say(const std::string& line);  // one flushed line
void wait_for_signal();             // a signal that came before counts
void take_signals();                // SIGUSR2, in a process
distributed::ControlGroup control_group(Run& run);
// All ranks of the run, their payload over Gloo.
distributed::PointGroup gloo_group(Run& run, const std::string& name);

// Scenarios by name, from scenarios_*.cpp.
std::vector<std::pair<std::string, Scenario>> group_scenarios();
std::vector<std::pair<std::string, Scenario>> ending_scenarios();

}  // namespace scalemark::testing
