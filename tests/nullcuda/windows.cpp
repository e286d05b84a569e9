#include "windows.h"

#include <algorithm>
#include <iterator>

namespace nullcuda {
namespace {

std::vector<Window>& all_windows() {
  static auto& value = *new std::vector<Window>;
  return value;
}

bool starts_anew(const Event& from) {
  return all_windows().back().last_event != &from ||
         all_windows().back().journal_end != from.journal;
}

}  // namespace

void note_elapsed(const Event& from, const Event& to, double seconds) {
  if (!all_windows().empty() && all_windows().back().marks == 2 && starts_anew(from))
    all_windows().pop_back();
  if (all_windows().empty() || starts_anew(from)) {
    all_windows().push_back({.marks = 1,
                             .journal_begin = from.journal,
                             .journal_end = from.journal,
                             .alive_at_begin = from.alive});
  }
  Window& window = all_windows().back();
  window.last_event = &to;
  window.journal_end = to.journal;
  window.seconds += seconds;
  ++window.marks;
}

std::vector<Window> windows() {
  std::vector<Window> found;
  std::ranges::copy_if(all_windows(), std::back_inserter(found),
                       [](const Window& window) { return window.marks >= 3; });
  return found;
}

}  // namespace nullcuda
