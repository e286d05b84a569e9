#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include "apps/scalemark/commands.h"
#include "core/base/encoding.h"
#include "core/base/shown_text.h"
#include "core/base/standard_output.h"
#include "core/base/terminal.h"
#include "core/reporting/table/text_table.h"

namespace scalemark::cli {

ExitCode print_result(const std::string& text) {
  write_to_stdout(shown_text(text));  // names of files and texts of reports may be any bytes
  return ExitCode::kPass;
}

ExitCode print_data(const std::string& text) {
  if (terminal_of(STDOUT_FILENO).is_terminal) return print_result(text);
  write_to_stdout(as_utf8(text));
  return ExitCode::kPass;
}

ExitCode page_result(const std::string& given) {
  const std::string text = shown_text(given);
  const Terminal terminal = terminal_of(STDOUT_FILENO);
  const char* pager = std::getenv("PAGER");
  const bool fits = std::ranges::count(text, '\n') < terminal.rows;
  if (!terminal.is_terminal || pager == nullptr || *pager == '\0' || fits)
    return print_result(text);
  ::setenv("LESS", "FRX", 0);  // as git does: short texts end at once, and the text stays in sight
  std::cout << std::flush;
  std::FILE* pipe = ::popen(pager, "w");
  if (pipe == nullptr) return print_result(text);
  std::fwrite(text.data(), 1, text.size(), pipe);  // a reader who quits early has seen enough
  constexpr int kNotFound = 127;
  const int status = ::pclose(pipe);
  const bool ran = WIFEXITED(status) && WEXITSTATUS(status) != kNotFound;
  return ran ? ExitCode::kPass : print_result(text);
}

std::string folded(const std::string& text, std::size_t indent) {
  const Terminal terminal = terminal_of(STDOUT_FILENO);
  if (!terminal.is_terminal) return text;
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t leading = std::min(line.find_first_not_of(' '), line.size());
    result += reporting::wrapped(line, static_cast<std::size_t>(terminal.columns),
                                 std::max(indent, leading + 2));
  }
  return result;
}

void print_error(const Error& error) {
  std::cerr << format_error_line(error.record()) << std::endl;
}

void print_note(const std::string& text) {
  std::cerr << "scalemark: " << shown_text(text) << std::endl;
}

void print_notes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) print_note(note);
}

}  // namespace scalemark::cli
