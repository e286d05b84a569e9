// Each subcommand is a function from an invocation to an exit code; it prints results on stdout,
// everything else on stderr, and throws errors.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "apps/scalemark/command_line.h"
#include "core/base/error.h"

namespace scalemark::cli {

// Declares train_command() and so on.
#define SCALEMARK_COMMAND(id, name, groups, function, summary) \
  ExitCode function##_command(const Invocation& invocation);
#include "core/settings/command_list.inc"
#undef SCALEMARK_COMMAND

struct CommandRow {
  settings::Command command;
  const char* summary;
  ExitCode (*run)(const Invocation& invocation);
};

// The commands in the order of --help.
std::span<const CommandRow> command_rows();
const CommandRow& row_of(settings::Command command);

// `scalemark` alone: a person at a terminal is asked whether to measure what one more process gives
// on this machine, and gets the answer; anybody else gets the help.
ExitCode ask_first_question();

// Prints a result on stdout and flushes it; lines that are wider than the terminal are folded
// (terminal.h). Throws io_error (74) when it cannot be written.
ExitCode print_result(const std::string& text);

// Prints a long text in the same way; PAGER shows it where the terminal has fewer rows.
ExitCode page_result(const std::string& text);

// Prints a result that programs read (JSON, CSV, scripts, ...) on stdout without folding it; a
// terminal gets no character on which it acts. Throws io_error (74) when it cannot be written.
ExitCode print_data(const std::string& text);

// Prints a remark, `scalemark: text`, on stderr; folded, as errors are, where that is a terminal.
void print_note(const std::string& text);
void print_notes(const std::vector<std::string>& notes);

void print_error(const ErrorRecord& error);

// Gives the lines that reach std::cerr from here on another form, whoever in this process writes
// them. Text without a line end appears when it is flushed: it asks something.
using FormOfLines = std::function<std::string(const std::string& lines)>;
void form_errors(FormOfLines form);

}  // namespace scalemark::cli
