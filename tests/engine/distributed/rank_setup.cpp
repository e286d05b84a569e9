#include "tests/engine/distributed/rank_setup.h"

#include <signal.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

#include "engine/distributed/providers.h"

namespace scalemark::testing {
namespace {

std::atomic<int> signals_seen{0};
thread_local RankVoice* voice = nullptr;

}  // namespace

RankVoice::Scope::Scope(RankVoice& mine) { voice = &mine; }
RankVoice::Scope::~Scope() { voice = nullptr; }

void RankVoice::say(const std::string& line) {
  const std::lock_guard lock(mutex_);
  text_ += line + "\n";
  changed_.notify_all();
}

void RankVoice::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

bool RankVoice::await_text(const std::string& text) {
  std::unique_lock lock(mutex_);
  const auto said = [&] { return text_.find(text) != std::string::npos; };
  changed_.wait(lock, [&] { return said() || closed_; });
  return said();
}

std::string RankVoice::text() {
  const std::lock_guard lock(mutex_);
  return text_;
}

void RankVoice::signal() {
  const std::lock_guard lock(mutex_);
  ++signals_;
  changed_.notify_all();
}

void RankVoice::await_signal() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return signals_ > 0; });
  --signals_;
}

void take_signals() {
  signal(SIGUSR2, [](int) { ++signals_seen; });
}

void wait_for_signal() {
  if (voice) return voice->await_signal();
  static int signals_used = 0;
  while (signals_seen == signals_used) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ++signals_used;
}

void say(const std::string& line) {
  if (voice) return voice->say(line);
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

Arguments parse(const std::vector<std::string>& words) {
  Arguments parsed;
  parsed.world.rank = parsed.world.local_rank = std::stoi(words.at(0));
  parsed.world.world_size = parsed.world.local_world_size = std::stoi(words.at(1));
  const std::string& place = words.at(2);
  auto& at = parsed.rendezvous;
  if (place.starts_with("file:")) {
    at.kind = launching::Rendezvous::Kind::kFile;
    at.file = place.substr(5);
  } else if (place != "none") {
    at.kind = launching::Rendezvous::Kind::kTcp;
    at.host = place.substr(0, place.rfind(':'));
    at.port = static_cast<std::uint16_t>(std::stoi(place.substr(place.rfind(':') + 1)));
  }
  for (std::size_t i = 3; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.starts_with("run=")) {
      at.run_id = word.substr(4);
    } else if (word.starts_with("timeout_ms=")) {
      parsed.timeout = std::chrono::milliseconds(std::stoi(word.substr(11)));
    } else if (word.starts_with("fd=")) {
      if (parsed.world.rank == 0) at.listen_fd = std::stoi(word.substr(3));
    } else if (word == "joins_at_signal") {
      parsed.joins_at_signal = true;
    } else {
      parsed.rest.push_back(word);
    }
  }
  return parsed;
}

int run_scenario(const Arguments& arguments, const Scenario& scenario) {
  if (arguments.joins_at_signal) say("ready to join"), wait_for_signal();
  try {
    auto joined = distributed::join(arguments.world, arguments.rendezvous, arguments.timeout);
    Run run{arguments, joined,
            distributed::ErrorStore(joined.store, arguments.world.rank, arguments.world.world_size,
                                    joined.hosts_store)};
    try {
      scenario(run);
      run.error_store.leave();
      return 0;
    } catch (const Error& error) {
      say(error.what());
      run.error_store.post(error.record());
      run.error_store.leave();
      return static_cast<int>(error.record().exit_code);
    }
  } catch (const Error& error) {
    say(error.what());
    return static_cast<int>(error.record().exit_code);
  }
}

distributed::ControlGroup control_group(Run& run) {
  return {run.joined.store, run.rank(), run.size(), run.arguments.timeout, "lo", run.error_store};
}

distributed::PointGroup gloo_group(Run& run, const std::string& name) {
  std::vector<int> members;
  for (int rank = 0; rank < run.size(); ++rank) members.push_back(rank);
  return {{.store = run.joined.store,
           .name = name,
           .members = members,
           .rank = run.rank(),
           .timeout = run.arguments.timeout,
           .interface = "lo"},
          distributed::gloo()};
}

}  // namespace scalemark::testing
