// Ranks of this node that mpirun starts for the built-in launcher, since MPI connects only those:
// the launcher's side, and the rank's.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/launch/child_process.h"

namespace scalemark::launching {

// A rank of the built-in launcher that mpirun starts, so that MPI connects it. Mpirun starts this
// program once per rank; each of these processes asks the launcher who it is, becomes the parent of
// the rank, passes its end on, and stays until all ranks have ended. So the launcher has the rank's
// own output, process id and exit status, and mpirun, which kills the others when one ends, learns
// of no end before the last.

inline constexpr std::string_view kLauncherSocketVariable = "SCALEMARK_LAUNCHER_SOCKET";

// Call it first in main(), while the process has one thread. Returns in the rank, whose environment
// then names its place; returns at once in a process that is none of mpirun's. The parent ends in
// here. Throws Error (71) when the launcher does not answer.
void become_rank_of_mpirun();

// mpirun's own arguments, with the program that it starts `ranks` times. Ranks are bound to no core
// and may be more than the cores; a rank that fails is this launcher's business, not mpirun's.
std::vector<std::string> mpirun_arguments(const std::string& library, int ranks,
                                          const std::string& program,
                                          const std::vector<std::string>& arguments);

class Mpirun {
 public:
  // `folder`: this launch's own, for a socket. Throws Error (71) when mpirun does not start.
  Mpirun(const std::string& library, const std::string& mpirun, int ranks,
         const std::string& program, const std::vector<std::string>& arguments,
         const Environment& environment, const std::filesystem::path& folder);
  ~Mpirun();
  Mpirun(const Mpirun&) = delete;
  Mpirun& operator=(const Mpirun&) = delete;

  struct Place {
    std::string spec;         // to_json() of the rank's RankSpec
    std::vector<int> passed;  // its stdout and stderr, and a listening socket or none
  };
  struct Started {
    pid_t pid = -1;
    Descriptor status;  // receive_status()
  };
  // Waits for the process that mpirun has started for one rank, and makes it the rank whose number
  // it gives, with that rank's `place`. Throws Error (71) when mpirun ends instead, or nothing
  // comes within a minute; the text has mpirun's own words.
  Started next(const std::function<Place(int rank)>& place);

  // Returns the rank's waitpid() status, once it has ended. If its parent was killed as well, the
  // rank counts as killed.
  static std::optional<int> receive_status(const Started& rank);

  // Reads what mpirun says, so that it does not wait for a reader; call it often.
  void listen();
  std::string said() const;

  // Mpirun ends by itself once its ranks have; it is killed after `limit`.
  void wait(std::chrono::milliseconds limit);
  void kill();

 private:
  bool has_ended();
  Descriptor accept_one();

  Descriptor socket_;
  ChildProcess child_;
  LineRelay out_, err_;
  bool ended_ = false;
};

}  // namespace scalemark::launching
