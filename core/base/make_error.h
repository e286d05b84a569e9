// An error with a code of its own, for rooms that add to the shorthands of error.h. Knows nothing
// of which codes there are: docs/FAULTS.md lists them.
#pragma once

#include <string>

#include "core/base/error.h"

namespace scalemark {

// `what`, `expected` and `hint` as in ErrorRecord.
Error make_error(std::string code, ExitCode exit_code, ErrorDomain domain, std::string what,
                 std::string expected = {}, std::string hint = {});

}  // namespace scalemark
