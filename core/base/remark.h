// Failures that are told beside another one, which is the error: "scalemark: while ending: ...".
#pragma once

#include <exception>
#include <string_view>

namespace scalemark {

// Returns what an exception says, without the "scalemark: " that lines of errors begin with: the
// remark has one of its own. Allocates nothing, for memory may be what is lacking.
inline std::string_view remark_of(const std::exception& error) noexcept {
  constexpr std::string_view kProgram = "scalemark: ";
  std::string_view text = error.what();
  if (text.starts_with(kProgram)) text.remove_prefix(kProgram.size());
  return text;
}

}  // namespace scalemark
