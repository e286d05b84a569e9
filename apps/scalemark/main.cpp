// scalemark: runs the command in its arguments; an error becomes one line, an exit code and the
// files in which launchers look for the reason why a rank ended.

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "apps/scalemark/command_line.h"
#include "apps/scalemark/commands.h"
#include "apps/scalemark/file_checks.h"
#include "apps/scalemark/help.h"
#include "apps/scalemark/intercepted_calls.h"
#include "core/base/error.h"
#include "core/base/file_kind.h"
#include "core/base/terminal.h"
#include "core/base/threads.h"
#include "core/base/words.h"
#include "core/launch/mpirun.h"
#include "core/launch/outcome.h"
#include "core/launch/resources.h"
#include "core/launch/variables.h"
#include "core/launch/world.h"

namespace scalemark::cli {
namespace {

// When one of the files cannot be written, the others must be written nevertheless.
void attempt(const std::function<void()>& action) noexcept {
  try {
    action();
  } catch (const std::exception& error) {
    print_note("while ending: " + std::string(remark_of(error)));
  }
}

// Writes the files that this process's environment names, if any: for errors before the engine
// runs, which writes them for those inside it. Never throws: the error itself matters more than the
// copy; what cannot be written is a note on stderr.
void write_error_files(const ErrorRecord& record) {
  const launching::Environment environment = launching::snapshot_environment();
  const std::string spec = value_at(environment, std::string(launching::kRankSpecVariable));
  const std::string elastic = value_at(environment, "TORCHELASTIC_ERROR_FILE");
  attempt([&] {
    if (spec.empty()) return;
    const std::string file = launching::parse_rank_spec(spec).error_file;
    if (!file.empty()) launching::write_error_file(file, record);
  });
  attempt([&] {
    if (!elastic.empty()) launching::write_torchelastic_error_file(elastic, record);
  });
}

ExitCode run(const std::vector<std::string>& arguments) {
  const CommandLine line = parse_command_line(arguments);
  switch (line.action) {
    case Action::kVersion:
      return print_result(version_text());
    case Action::kHelp:
      return page_result(program_help());
    case Action::kFirstQuestion:
      return ask_first_question();
    case Action::kCommandHelp:
      return page_result(command_help(line.invocation.command, line.topic));
    case Action::kRun:
      return row_of(line.invocation.command).run(line.invocation);
  }
  throw bug("a action without an answer");
}

ExitCode end_with(const ErrorRecord& record) {
  print_error(record);
  write_error_files(record);
  return record.exit_code;
}

// Without the working folder no relative path leads anywhere: its loss is the cause then.
ErrorRecord because_of_lost_folder(const ErrorRecord& record) {
  const bool of_files = record.exit_code == ExitCode::kNoInput ||
                        record.exit_code == ExitCode::kIo ||
                        record.exit_code == ExitCode::kCannotCreateOutput;
  if (!of_files) return record;
  try {
    refuse_lost_working_folder();
  } catch (const Error& lost) {
    return lost.record();
  }
  return record;
}

ExitCode run_and_report(const std::vector<std::string>& arguments) {
  try {
    return run(arguments);
  } catch (const Error& error) {
    return end_with(because_of_lost_folder(error.record()));
  } catch (const std::filesystem::filesystem_error& error) {
    return end_with(unreadable_path(error).record());
  } catch (const std::exception& error) {
    return end_with((is_thread_shortage(error) ? thread_shortage() : bug(error.what())).record());
  }
}

// Finds the terminal that this process's errors reach, for a first rank through the built-in
// launcher.
Terminal terminal_of_errors() {
  const launching::Environment environment = launching::snapshot_environment();
  const std::string spec = value_at(environment, std::string(launching::kRankSpecVariable));
  if (spec.empty()) return terminal_of(STDERR_FILENO);
  try {
    const launching::RankSpec rank = launching::parse_rank_spec(spec);
    return {.is_terminal = rank.terminal, .columns = rank.output.columns};
  } catch (const Error&) {
    return {};  // the command refuses it
  }
}

void fold_errors() {
  const Terminal terminal = terminal_of_errors();
  if (!terminal.is_terminal) return;
  form_errors([terminal](const std::string& lines) { return folded(lines, terminal); });
}

[[noreturn]] void end_without_thread(const ErrorRecord& record) {
  _exit(static_cast<int>(end_with(record)));
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
  scalemark::unblock_stops();
  scalemark::cli::become_rank();
  scalemark::cli::fold_errors();
  static const scalemark::OnThreadShortage on_shortage = scalemark::cli::end_without_thread;
  scalemark::cli::on_thread_shortage() = &on_shortage;
  scalemark::cli::watch_process_end(scalemark::cli::end_with);
  const auto code = scalemark::cli::run_and_report({argv + (argc > 0), argv + argc});
  scalemark::cli::ending_is_ours();
  return static_cast<int>(code);
}
