// Makes an error with a code of its own, for modules that add to the shorthands of error.h. Does
// not know the codes: docs/FAULTS.md lists them.
#pragma once

#include <string>

#include "core/base/error.h"

namespace scalemark {

// `what`, `expected` and `hint` as in ErrorRecord.
Error make_error(std::string code, ExitCode exit_code, ErrorDomain domain, std::string what,
                 std::string expected = {}, std::string hint = {});

}  // namespace scalemark
