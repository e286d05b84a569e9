#include "tests/engine/distributed/rank_threads.h"

#include <stdlib.h>

#include <stdexcept>

namespace scalemark::testing {
namespace {

// torch keeps one record of the latest collectives for the whole process, which is not safe for
// groups that several threads use at once (torch 2.11). Set before anything asks for its size.
[[maybe_unused]] const int kNoFlightRecorder = setenv("TORCH_FR_BUFFER_SIZE", "0", 1);

Scenario scenario_named(const std::string& wanted) {
  for (auto& [name, scenario] : group_scenarios()) {
    if (name == wanted) return scenario;
  }
  throw std::invalid_argument("no scenario " + wanted);
}

}  // namespace

RankThreads::RankThreads(const std::vector<std::vector<std::string>>& ranks) {
  for (const auto& words : ranks) {
    Rank& rank = *ranks_.emplace_back(std::make_unique<Rank>());
    rank.code = std::async(std::launch::async, [&rank, words] {
      const RankVoice::Scope scope(rank.voice);
      const int code =
          run_scenario(parse({words.begin() + 1, words.end()}), scenario_named(words.at(0)));
      rank.voice.close();
      return code;
    });
  }
}

void RankThreads::signal(int rank) { ranks_.at(static_cast<std::size_t>(rank))->voice.signal(); }

bool RankThreads::wait_for_text(int rank, const std::string& text) {
  return ranks_.at(static_cast<std::size_t>(rank))->voice.await_text(text);
}

std::vector<Ended> RankThreads::wait() {
  std::vector<Ended> all;
  for (const auto& rank : ranks_) {
    const int code = rank->code.get();
    all.push_back({.exit_code = code, .output = rank->voice.text()});
  }
  return all;
}

}  // namespace scalemark::testing
