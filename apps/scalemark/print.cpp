#include <cerrno>
#include <iostream>

#include "apps/scalemark/commands.h"
#include "core/base/error.h"

namespace scalemark::cli {

ExitCode print_result(const std::string& text) {
  errno = 0;
  std::cout << text << std::flush;
  if (!std::cout && errno == EPIPE) return ExitCode::kPass;  // `| head`: it has what it wanted
  if (!std::cout) throw io_error("the result could not be written to stdout");
  return ExitCode::kPass;
}

void print_note(const std::string& text) { std::cerr << "scalemark: " << text << std::endl; }

}  // namespace scalemark::cli
