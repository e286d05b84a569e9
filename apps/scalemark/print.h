// Commands print this beside the results and remarks of commands.h.
#pragma once

#include <string>

#include "core/base/error.h"
#include "core/base/exit_code.h"

namespace scalemark::cli {

// A result on stdout that a program reads (JSON, CSV, ...): byte by byte, but at a terminal, which
// gets what print_result() would print. Throws io_error (74) when it cannot be written.
ExitCode print_data(const std::string& text);

// An error on stderr that ends nothing, as one that ends the program is told.
void print_error(const Error& error);

}  // namespace scalemark::cli
