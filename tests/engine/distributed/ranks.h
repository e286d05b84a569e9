// Starts one process of torch_tool per rank and returns how each ended. Torch-free, so that
// processes are started from a program without threads.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace scalemark::testing {

struct Ended {
  int exit_code = -1;  // 128 + n after signal n; -1: still ran at the deadline and was killed
  std::string output;  // stdout and stderr together
  double seconds = 0;  // it begins with the start of the ranks
};

class Ranks {
 public:
  // A running rank per argument list of `torch_tool COMMAND`. `inherited_fd` stays open in the
  // children.
  Ranks(const std::vector<std::vector<std::string>>& arguments,
        std::optional<int> inherited_fd = std::nullopt, const char* command = "distributed-rank");
  ~Ranks();  // kills what still runs
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  void signal(int rank, int number) const;
  // Waits until the rank has printed the text; false at the deadline.
  bool wait_for_text(int rank, const std::string& text, std::chrono::milliseconds limit) const;
  std::vector<Ended> wait(std::chrono::milliseconds limit);

 private:
  struct Child {
    pid_t pid = -1;
    std::string log;
    std::optional<Ended> ended;
  };
  std::vector<Child> children_;
  std::string folder_;
  std::chrono::steady_clock::time_point start_;
};

// The argument lists of N ranks for a scenario of rank_program.cpp.
std::vector<std::vector<std::string>> scenario(const std::string& name, int world_size,
                                               const std::string& rendezvous,
                                               const std::vector<std::string>& more = {});

std::string free_address();      // 127.0.0.1 and a port that was free a moment ago
std::string fresh_file_place();  // "file:PATH" in a new folder
// A listening socket on 127.0.0.1 that children may inherit.
struct Listener {
  int descriptor = -1;
  std::string address;
};
Listener listen_anywhere();

}  // namespace scalemark::testing
