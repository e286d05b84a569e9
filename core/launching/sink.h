// One of our own output streams, shared by several ranks: bytes wait here until the reader takes
// them, so that a stalled reader does not keep us from signals and timers.
#pragma once

#include <string>
#include <string_view>

namespace scalemark::launching {

class Sink {
 public:
  Sink(int fd, bool terminal) : fd_(fd), terminal_(terminal) {}

  void add_raw(std::string_view bytes);
  // Adds whole lines; first ends a line that another rank has begun (a progress bar).
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
