// One function per subcommand: from an invocation to an exit code. Results are printed on stdout,
// everything else on stderr; errors are thrown.
#pragma once

#include <string>

#include "apps/scalemark/command_line.h"
#include "core/base/exit_code.h"

namespace scalemark::cli {

ExitCode train_command(const Invocation& invocation);
ExitCode sweep_command(const Invocation& invocation);
ExitCode report_command(const Invocation& invocation);
ExitCode predict_command(const Invocation& invocation);
ExitCode compare_command(const Invocation& invocation);
ExitCode data_generate_command(const Invocation& invocation);
ExitCode data_tokenize_command(const Invocation& invocation);
ExitCode data_bench_command(const Invocation& invocation);
ExitCode doctor_command(const Invocation& invocation);

// A result on stdout, flushed. Throws io_error (74) when it cannot be written.
ExitCode print_result(const std::string& text);

// A remark on stderr: `scalemark: text`.
void print_note(const std::string& text);

}  // namespace scalemark::cli
