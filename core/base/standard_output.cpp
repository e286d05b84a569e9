#include "core/base/standard_output.h"

#include <unistd.h>

#include <cerrno>
#include <iostream>

#include "core/base/atomic_file.h"

namespace scalemark {

void write_to_stdout(std::string_view text) {
  std::cout << std::flush;
  const int error = write_whole(STDOUT_FILENO, text);
  if (error != 0 && error != EPIPE) throw file_failure("write the result to", "stdout", error);
}

}  // namespace scalemark
