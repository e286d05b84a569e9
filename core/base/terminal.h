// Tells whether a file descriptor is a terminal, how wide it is, and whether it shows colours.
#pragma once

#include <string>

namespace scalemark {

struct Terminal {
  bool is_terminal = false;
  int columns = 80;  // where it is none, too
  bool colour = false;
};

// Colours only where NO_COLOR (no-color.org) is unset or empty and TERM is not "dumb".
Terminal terminal_of(int fd);

enum class Ink { kBold, kRed, kDim };
// `text` in that ink, where there are colours.
std::string inked(const Terminal& terminal, Ink ink, const std::string& text);

}  // namespace scalemark
