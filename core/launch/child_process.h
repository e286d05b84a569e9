// A started process and the way of its output: through two pipes, as whole lines behind a prefix,
// into our own streams. Knows nothing of ranks.
#pragma once

#include <sys/types.h>

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/atomic_file.h"
#include "core/launch/variables.h"

namespace scalemark::launching {

struct ChildProcess {
  pid_t pid = -1;
  Descriptor out, err;  // our ends, non-blocking
};

// The output of a process that somebody else starts: our ends (non-blocking) and its ends.
struct OutputPipes {
  Descriptor out, err, out_of_child, err_of_child;
};
OutputPipes make_output_pipes();  // throws Error (71)

struct ChildSpec {
  std::string program;                 // path
  std::vector<std::string> arguments;  // [0] becomes its argv[0]
  Environment environment;
  std::optional<int> inherited_fd;  // stays open in the child under the same number
};

// Starts it as the leader of a process group of its own, so that a terminal's Ctrl-C reaches it
// only through us, with /dev/null as input and every signal at its default, or ignored as it is
// here (core/base/threads.h). The kernel kills it when the calling thread ends, however that
// happens. Call it while the process has one thread. Throws Error (71) when it cannot be started.
ChildProcess start_child(const ChildSpec& spec);

// Turns the bytes of one rank's stream into what the launcher prints: whole lines behind a prefix,
// or the bytes as they are. Keeps the last lines. Pure; does not read or write anything.
class LineRelay {
 public:
  enum class Mode { kLines, kRaw };  // kRaw: at once and unchanged, for results and progress bars

  LineRelay(std::string prefix, Mode mode) : prefix_(std::move(prefix)), mode_(mode) {}

  // Returns the part that can be printed now. A line over 1 MiB is cut into several.
  std::string feed(std::string_view bytes);

  // Returns the rest after the stream has ended; an unfinished last line gets a line end (not in
  // kRaw).
  std::string finish();

  // The last lines: at most 5 that are not empty, each cut to 400 bytes. Of a line that was redrawn
  // the last state counts.
  const std::deque<std::string>& last_lines() const { return last_lines_; }

 private:
  void remember(std::string_view line);

  std::string prefix_;
  Mode mode_;
  std::string pending_;
  std::deque<std::string> last_lines_;
};

// One of our own output streams, shared by several ranks: bytes wait here until the reader takes
// them, so that a stalled reader does not keep us from signals and timers.
class Sink {
 public:
  Sink(int fd, bool terminal) : fd_(fd), terminal_(terminal) {}

  void add_raw(std::string_view bytes);
  // Adds whole lines, folded for a terminal (core/base/terminal.h); first ends a line that another
  // rank has begun (a progress bar).
  void add_lines(std::string_view lines);

  int fd() const { return fd_; }
  int failure() const { return failure_; }  // errno for which output was dropped; 0: none
  bool waiting() const { return !pending_.empty(); }
  bool full() const { return pending_.size() > kMostPending; }

  // Call it after poll() found the descriptor writable. Drops all output once it is not taken.
  void write_some();
  void drop() { pending_.clear(); }

 private:
  static constexpr std::size_t kMostPending = 4 << 20;

  int fd_;
  bool terminal_;
  bool mid_line_ = false;
  bool closed_ = false;
  int failure_ = 0;
  std::string pending_;
};

}  // namespace scalemark::launching
