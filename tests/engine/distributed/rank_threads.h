// The ranks of a scenario (rank_setup.h) as threads of the test: over real stores and sockets, in
// milliseconds where processes take seconds to start. What ends a process (a signal, a watchdog)
// needs tests/engine/distributed/ranks.h.
#pragma once

#include <future>
#include <memory>
#include <string>
#include <vector>

#include "tests/engine/distributed/rank_setup.h"
#include "tests/engine/distributed/ranks.h"

namespace scalemark::testing {

class RankThreads {
 public:
  // A rank per list of words: the scenario's name, then as parse() takes them.
  explicit RankThreads(const std::vector<std::vector<std::string>>& ranks);

  // Lets wait_for_signal() of the rank return once.
  void signal(int rank);
  // Waits until the rank has said the text; false where it ended without.
  bool wait_for_text(int rank, const std::string& text);
  // How each ended.
  std::vector<Ended> wait();

 private:
  struct Rank {
    RankVoice voice;
    std::future<int> code;
  };
  std::vector<std::unique_ptr<Rank>> ranks_;
};

}  // namespace scalemark::testing
