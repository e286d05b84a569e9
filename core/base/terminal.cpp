#include "core/base/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace scalemark {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

Terminal terminal_of(int fd) {
  Terminal terminal;
  terminal.is_terminal = isatty(fd) == 1;
  const bool unwanted = !variable("NO_COLOR").empty() || variable("CLICOLOR") == "0";
  const bool forced = !variable("CLICOLOR_FORCE").empty() && variable("CLICOLOR_FORCE") != "0";
  terminal.colour = variable("NO_COLOR").empty() && forced;
  if (!terminal.is_terminal) return terminal;
  constexpr int kSmallest = 20;
  winsize size = {};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= kSmallest) {
    terminal.columns = size.ws_col;
    if (size.ws_row > 0) terminal.rows = size.ws_row;
  }
  terminal.colour = terminal.colour || (!unwanted && variable("TERM") != "dumb");
  return terminal;
}

std::string inked(const Terminal& terminal, Ink ink, const std::string& text) {
  if (!terminal.colour || text.empty()) return text;
  const char* code = ink == Ink::kBold ? "1" : ink == Ink::kRed ? "31" : "2";
  return "\x1b[" + std::string(code) + "m" + text + "\x1b[0m";
}

}  // namespace scalemark
