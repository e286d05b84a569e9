#include "core/settings/problem.h"

#include <algorithm>
#include <iterator>

#include "core/settings/option.h"

namespace scalemark::settings {
namespace {

std::string subject(const Problem& problem) {
  return find_option(problem.option) ? option_flag(problem.option) : problem.option;
}

// A switch as the command line takes it; a configuration file may say true and false.
std::string shown_value(const Problem& problem) {
  const Option* option = find_option(problem.option);
  const bool is_switch = option && (option->kind == Kind::kSwitch || option->kind == Kind::kFlag);
  if (is_switch && problem.found == "true") return "on";
  if (is_switch && problem.found == "false") return "off";
  return problem.found;
}

std::string finding(const Problem& problem) {
  std::string text = subject(problem);
  if (!problem.found.empty()) {
    text += (text.empty() ? "" : " is ") + ("'" + shown_value(problem) + "'");
  }
  if (!problem.origin.empty()) text += " (from " + problem.origin + ")";
  return text;
}

}  // namespace

void Remarks::add(Remarks more) {
  std::ranges::move(more.problems, std::back_inserter(problems));
  std::ranges::move(more.notes, std::back_inserter(notes));
}

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
  return configuration(std::to_string(seen.size()) + " settings are refused: " + names,
                       "each is listed above");
}

void refuse_if_invalid(const std::vector<Problem>& problems) {
  if (!problems.empty()) throw refusal(problems);
}

}  // namespace scalemark::settings
