// Preloaded libraries ask which rank they are in.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

namespace scalemark::fault {

// The number on its machine, out of the built-in launcher's word to its rank:
// {..."local_rank":1...}. Empty: this process is no rank.
inline std::string local_rank() {
  const char* specification = std::getenv("SCALEMARK_RANK_SPEC");
  const std::string_view text = specification ? specification : "";
  constexpr std::string_view kKey = "\"local_rank\":";
  const auto at = text.find(kKey);
  if (at == text.npos) return "";
  const auto digits = text.substr(at + kKey.size());
  return std::string(digits.substr(0, digits.find_first_not_of("0123456789")));
}

}  // namespace scalemark::fault
