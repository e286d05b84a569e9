// Tells whether a file descriptor is a terminal, how large it is, and whether it shows colours.
#pragma once

#include <string>

namespace scalemark {

struct Terminal {
  bool is_terminal = false;
  int columns = 80, rows = 24;  // where it is none, too
  bool colour = false;
};

// A terminal has colours unless NO_COLOR (no-color.org) is set, CLICOLOR is 0 or TERM is "dumb";
// CLICOLOR_FORCE (bixense.com/clicolors), unless it is 0, gives them to pipes and files, too.
Terminal terminal_of(int fd);

enum class Ink { kBold, kRed, kDim };
// `text` in that ink, where there are colours.
std::string inked(const Terminal& terminal, Ink ink, const std::string& text);

}  // namespace scalemark
