#include <signal.h>

#include <cstdio>

#include "tests/engine/distributed/rank_setup.h"
#include "tools/programs/commands.h"

int scalemark::commands::distributed_rank(int argc, char** argv) {
  using namespace scalemark::testing;
  signal(SIGPIPE, SIG_IGN);
  take_signals();
  const std::vector<std::string> words(argv + 1, argv + argc);
  auto scenarios = group_scenarios();
  for (auto& more : ending_scenarios()) scenarios.push_back(more);
  for (const auto& [name, scenario] : scenarios) {
    if (name == words.at(0)) return run_scenario(parse({words.begin() + 1, words.end()}), scenario);
  }
  std::fprintf(stderr, "no scenario %s\n", words.at(0).c_str());
  return 64;
}
