// scalemark: runs the command in its arguments; an error becomes one line and an exit code.
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "apps/scalemark/command_line.h"
#include "apps/scalemark/commands.h"
#include "apps/scalemark/error_files.h"
#include "apps/scalemark/help.h"
#include "apps/scalemark/thread_creation.h"
#include "core/base/error.h"
#include "core/launching/descriptors.h"
#include "core/launching/outcome.h"
#include "core/launching/rank_of_mpirun.h"

namespace scalemark::cli {
namespace {

ExitCode run(const std::vector<std::string>& arguments) {
  const CommandLine line = parse_command_line(arguments);
  switch (line.action) {
    case Action::kVersion:
      return print_result(version_text());
    case Action::kHelp:
      return page_result(program_help());
    case Action::kCommandHelp:
      return page_result(command_help(line.invocation.command, line.topic));
    case Action::kRun:
      return row_of(line.invocation.command).run(line.invocation);
  }
  throw bug("a action without an answer");
}

ExitCode end_with(const ErrorRecord& record) {
  std::cerr << format_error_line(record) << std::endl;
  write_error_files(record);
  return record.exit_code;
}

ExitCode run_and_report(const std::vector<std::string>& arguments) {
  try {
    return run(arguments);
  } catch (const Error& error) {
    return end_with(error.record());
  } catch (const std::exception& error) {
    return end_with((is_thread_shortage(error) ? thread_shortage() : bug(error.what())).record());
  }
}

[[noreturn]] void end_without_thread(const ErrorRecord& record) {
  _exit(static_cast<int>(end_with(record)));
}

// A library that ends the process (MKL does, with 2) may not pass its code off as one of ours. The
// faults' codes are let through: MPI_Abort() ends with the one that we gave it.
struct ProcessEnd {
  std::atomic<bool> is_ours = false;
  pid_t process = ::getpid();
};

void at_exit(int code, void* argument) {
  const auto& end = *static_cast<const ProcessEnd*>(argument);
  if (end.is_ours || end.process != ::getpid()) return;
  if (code > static_cast<int>(ExitCode::kUnsure) && launching::is_exit_code(code)) return;
  ::_exit(static_cast<int>(end_with(launching::ended_by_library(code).record())));
}

void become_rank() {
  try {
    launching::become_rank_of_mpirun();
  } catch (const Error& error) {
    std::exit(static_cast<int>(end_with(error.record())));
  }
}

}  // namespace
}  // namespace scalemark::cli

int main(int argc, char** argv) {
  scalemark::launching::fill_standard_descriptors();
  // A lost peer and a full file must be errors that we can report.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  scalemark::cli::become_rank();
  static const scalemark::OnThreadShortage on_shortage = scalemark::cli::end_without_thread;
  scalemark::cli::on_thread_shortage() = &on_shortage;
  static scalemark::cli::ProcessEnd end;  // exit() calls at_exit() when main() is left
  ::on_exit(scalemark::cli::at_exit, &end);
  const auto code = scalemark::cli::run_and_report({argv + (argc > 0), argv + argc});
  end.is_ours = true;
  return static_cast<int>(code);
}
