// Turns the bytes of one rank's stream into what the launcher prints: whole lines behind a prefix,
// or the bytes as they are. Keeps the last lines. Pure; does not read or write anything.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <utility>

namespace scalemark::launching {

class LineRelay {
 public:
  enum class Mode { kLines, kRaw };  // kRaw: at once and unchanged, for results and progress bars

  LineRelay(std::string prefix, Mode mode) : prefix_(std::move(prefix)), mode_(mode) {}

  // Returns the part that can be printed now. A line over 1 MiB is cut into several.
  std::string feed(std::string_view bytes);

  // The rest, after the stream has ended; an unfinished last line gets a line end (not in kRaw).
  std::string finish();

  // At most 5 non-empty lines, each cut to 400 bytes; of a redrawn line its last state.
  const std::deque<std::string>& last_lines() const { return last_lines_; }

 private:
  void remember(std::string_view line);

  std::string prefix_;
  Mode mode_;
  std::string pending_;
  std::deque<std::string> last_lines_;
};

}  // namespace scalemark::launching
