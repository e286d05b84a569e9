// Each subcommand is a function from an invocation to an exit code; it prints results on stdout,
// everything else on stderr, and throws errors.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "apps/scalemark/command_line.h"
#include "core/base/error.h"

namespace scalemark::cli {

// train_command() and so on.
#define SCALEMARK_COMMAND(id, name, groups, function, summary) \
  ExitCode function##_command(const Invocation& invocation);
#include "core/settings/command_list.inc"
#undef SCALEMARK_COMMAND

struct CommandRow {
  settings::Command command;
  const char* summary;
  ExitCode (*run)(const Invocation& invocation);
};

// In the order of --help.
std::span<const CommandRow> command_rows();
const CommandRow& row_of(settings::Command command);

// A result on stdout, flushed; at a terminal, lines that are wider than it are folded (terminal.h).
// Throws io_error (74) when it cannot be written.
ExitCode print_result(const std::string& text);

// The same for a long text to read: at a terminal with fewer rows, PAGER shows it.
ExitCode page_result(const std::string& text);

// A result on stdout that a program reads (JSON, CSV, scripts, ...): byte by byte; a terminal gets
// no character that it acts on. Throws io_error (74) when it cannot be written.
ExitCode print_data(const std::string& text);

// A remark on stderr: `scalemark: text`; folded, as errors are, where that is a terminal.
void print_note(const std::string& text);
void print_notes(const std::vector<std::string>& notes);

// An error on stderr.
void print_error(const ErrorRecord& error);

}  // namespace scalemark::cli
