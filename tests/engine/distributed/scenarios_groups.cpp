// Scenarios over a store and its groups.
#include <ATen/ops/full.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>
#include <thread>

#include "engine/distributed/rendezvous.h"
#include "tests/engine/distributed/rank_setup.h"

namespace scalemark::testing {
namespace {

using std::chrono::milliseconds;

void only_join(Run& run) { say("joined run " + run.arguments.rendezvous.run_id); }

std::string joined_texts(const std::vector<std::string>& texts) {
  std::string all;
  for (const auto& text : texts) all += "[" + text + "]";
  return all;
}

void talk(Run& run) {
  auto control = control_group(run);
  const std::string mine(static_cast<std::size_t>(run.rank()) * 3, 'a' + run.rank());
  say("gather " + joined_texts(control.gather(mine)));
  say("answered " + distributed::answered(control, mine, joined_texts));
  say("broadcast " + control.broadcast(run.rank() == 0 ? "from zero" : "ignored"));
  say("broadcast nothing [" + control.broadcast("") + "]");
  const double rank = run.rank();
  std::vector<double> values{rank, 10 - rank, 0.5};
  control.max_over_ranks(values);
  say("max " + std::to_string(values[0]) + " " + std::to_string(values[1]) + " " +
      std::to_string(values[2]));
  control.barrier();
}

// "a=1,b=2"
distributed::Facts facts_in(const std::string& text) {
  distributed::Facts facts;
  std::istringstream entries(text);
  for (std::string entry; std::getline(entries, entry, ',');) {
    const std::size_t equals = entry.find('=');
    facts[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  return facts;
}

// rest: RANK FACTS_OF_THAT_RANK FACTS_OF_THE_OTHERS
void compare_facts(Run& run) {
  const auto& rest = run.arguments.rest;
  const std::string& text = run.rank() == std::stoi(rest.at(0)) ? rest.at(1) : rest.at(2);
  distributed::preflight(run.joined.store, run.size(), facts_in(text), run.error_store,
                         run.arguments.timeout);
  say("agreed");
}

std::size_t entries(const char* folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

void all_reduce_once(c10d::ProcessGroup& group, int size) {
  std::vector<at::Tensor> ones{at::full({4}, 1.0F)};
  group.allreduce(ones)->wait();
  if (ones[0].const_data_ptr<float>()[0] != static_cast<float>(size)) {
    throw bug("all-reduce gave a wrong sum");
  }
}

void use_one_group(Run& run, distributed::ControlGroup& control, int number) {
  distributed::PointGroup point = gloo_group(run, std::to_string(number));
  all_reduce_once(*point.group(), run.size());
  control.barrier();
  point.drop();
  point.delete_keys();
  control.barrier();
}

std::string resources(Run& run) {
  return std::to_string(entries("/proc/self/task")) + " threads, " +
         std::to_string(entries("/proc/self/fd")) + " descriptors, " +
         std::to_string(run.joined.store->getNumKeys()) + " keys";
}

// Makes and drops `rest[0]` groups after three that warm everything up.
void many_groups(Run& run) {
  auto control = control_group(run);
  const int count = std::stoi(run.arguments.rest.at(0));
  for (int number = 0; number < 3; ++number) use_one_group(run, control, number);
  say("before: " + resources(run));
  for (int number = 3; number < 3 + count; ++number) use_one_group(run, control, number);
  say("after: " + resources(run));
  control.barrier();
}

// Collectives until something breaks; rank `rest[0]` breaks it at step 5 as `rest[1]` says.
void train_until(Run& run) {
  auto control = control_group(run);
  const bool culprit = run.rank() == std::stoi(run.arguments.rest.at(0));
  const std::string& how = run.arguments.rest.at(1);
  for (int step = 0; step < 200; ++step) {
    if (culprit && step == 5) {
      if (how == "throw") throw bad_data("photo.jpg is not a JPEG", "", "");
      if (how == "kill") raise(SIGKILL);
      if (how == "wait_for_signal") say("waiting"), wait_for_signal();
    }
    control.barrier();
    std::this_thread::sleep_for(milliseconds(5));
  }
}

}  // namespace

std::vector<std::pair<std::string, Scenario>> group_scenarios() {
  return {{"join", only_join},
          {"talk", talk},
          {"compare_facts", compare_facts},
          {"many_groups", many_groups},
          {"train_until", train_until}};
}

}  // namespace scalemark::testing
