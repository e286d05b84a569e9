// Loads files of weights for Python, one after the other in one process: each line of stdin is
// WORKLOAD, FILE and OUT (empty: nothing is saved), with a tab between; each line of stdout is the
// exit code, then the notes on the file or the error, with a tab between.
#include <iostream>
#include <sstream>
#include <string>

#include "core/base/error.h"
#include "tools/programs/commands.h"
#include "workloads/weights/weights.h"

namespace scalemark::workloads {
namespace {

void answer(const std::string& line) {
  std::istringstream words(line);
  std::string workload, file, out;
  std::getline(words, workload, '\t');
  std::getline(words, file, '\t');
  std::getline(words, out, '\t');
  std::string text;
  int code = 0;
  try {
    const auto network = make_network(workload, {.shape = {.classes = 10, .vocab_size = 300}});
    for (const std::string& note : notes_on_weights(file)) text += '\t' + on_one_line(note);
    load_weights(*network, file);
    if (!out.empty()) save_weights(*network, out);
  } catch (const Error& error) {
    code = static_cast<int>(error.record().exit_code);
    text = '\t' + format_error_line(error.record());
  }
  std::cout << code << text << std::endl;
}

}  // namespace
}  // namespace scalemark::workloads

int scalemark::commands::weights(int /*argc*/, char** /*argv*/) {
  for (std::string line; std::getline(std::cin, line);) scalemark::workloads::answer(line);
  return 0;
}
