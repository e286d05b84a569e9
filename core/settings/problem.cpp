#include "core/settings/problem.h"

#include <algorithm>

#include "core/settings/option.h"

namespace scalemark::settings {
namespace {

std::string subject(const Problem& problem) {
  return find_option(problem.option) ? option_flag(problem.option) : problem.option;
}

std::string finding(const Problem& problem) {
  std::string text = subject(problem);
  if (!problem.found.empty()) {
    text += (text.empty() ? "" : " is ") + ("'" + problem.found + "'");
  }
  if (!problem.origin.empty()) text += " (from " + problem.origin + ")";
  return text;
}

}  // namespace

std::string to_line(const Problem& problem) {
  std::string line = finding(problem) + "; " + problem.allowed;
  if (!line.ends_with('.')) line += '.';
  if (!problem.hint.empty()) line += " Hint: " + problem.hint;
  return line;
}

Error refusal(const std::vector<Problem>& problems) {
  if (problems.size() == 1) {
    const Problem& only = problems.front();
    return configuration(finding(only), only.allowed, only.hint);
  }
  std::string names;
  std::vector<std::string> seen;
  for (const Problem& problem : problems) {
    const std::string name = subject(problem);
    if (name.empty() || std::ranges::count(seen, name) > 0) continue;
    seen.push_back(name);
    names += (names.empty() ? "" : ", ") + name;
  }
  return configuration(std::to_string(problems.size()) + " settings are refused: " + names,
                       "each is listed above");
}

}  // namespace scalemark::settings
