// The name of this machine, and the form that names of machines have.
#pragma once

#include <string>
#include <string_view>

namespace scalemark {

// Returns the name that gethostname() gives, or "localhost" when that is empty.
std::string host_name();

// Whether `name` may be a machine's, or a scheduler's for it: letters, digits, ".", "-" and "_",
// and no "-" at its beginning, where commands would take it for an option. Such a name is one word
// of a shell as it stands.
bool is_host_name(std::string_view name);
inline constexpr const char* kHostNameForm = "letters, digits, '.', '-' and '_' are expected";

}  // namespace scalemark
