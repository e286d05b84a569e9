#include "core/base/host_name.h"

#include <unistd.h>

#include <algorithm>

namespace scalemark {
namespace {

// Letters of the locale do not count.
bool may_stand_in_name(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
         c == '-' || c == '_';
}

}  // namespace

std::string host_name() {
  char name[256] = "";
  if (gethostname(name, sizeof name - 1) != 0 || name[0] == '\0') return "localhost";
  std::string known = name;
  std::ranges::replace_if(
      known, [](char c) { return !may_stand_in_name(c); }, '_');
  if (known.front() == '-') known.front() = '_';
  return known;
}

bool is_host_name(std::string_view name) {
  return !name.empty() && name.front() != '-' && std::ranges::all_of(name, may_stand_in_name);
}

}  // namespace scalemark
