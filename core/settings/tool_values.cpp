#include "core/settings/tool_values.h"

#include <utility>

#include "core/base/encoding.h"
#include "core/settings/axes.h"
#include "core/settings/defaults.h"
#include "core/settings/near_match.h"
#include "core/settings/value.h"

namespace scalemark::settings {

namespace {

// The one option that is a list in every command that has it; sweeps make lists of others, too.
bool is_list(const Option& option) { return option.name == "world_sizes"; }

void add_bad_elements(const Option& option, const RawValue& value, std::vector<Problem>& problems) {
  for (BadElement& bad : expand_list(option, value.text).bad) {
    problems.push_back({std::string(option.name), std::move(bad.found), std::move(bad.allowed),
                        value.origin, std::move(bad.hint)});
  }
}

std::string hint_for(const Option& option, const std::string& refused) {
  if (option.kind == Kind::kChoice) return did_you_mean(refused, option.choices);
  if (option.kind != Kind::kPath || is_utf8(refused)) return {};
  return "`data pack` and `data verify` take such a path; here a link to it does, `ln -s`, since "
         "reports hold UTF-8";
}

}  // namespace

std::vector<Problem> bad_values(const RawSettings& raw) {
  std::vector<Problem> problems;
  for (const auto& [name, value] : raw) {
    const Option* option = find_option(name);
    if (option && is_list(*option)) add_bad_elements(*option, value, problems);
    if (!option || is_list(*option) || accepts(*option, value.text)) continue;
    problems.push_back({name, value.text, allowed_text(*option, value.text) + " is allowed",
                        value.origin, hint_for(*option, value.text)});
  }
  return problems;
}

ToolValues::ToolValues(const Layers& layers, Command command, std::vector<std::string>& lines)
    : raw_(default_values(command)) {
  for (const auto& [name, value] : layers.raw) raw_[name] = value;
  std::vector<Problem> problems = layers.problems;
  for (Problem& problem : bad_values(raw_)) problems.push_back(std::move(problem));
  if (problems.empty()) return;
  for (const Problem& problem : problems) lines.push_back(to_line(problem));
  throw refusal(problems);
}

std::optional<std::string> ToolValues::text(std::string_view name) const {
  const auto found = raw_.find(name);
  if (found == raw_.end()) return std::nullopt;
  return found->second.text;
}

std::optional<std::int64_t> ToolValues::count(std::string_view name) const {
  const auto value = text(name);
  return value ? parse_count(*value) : std::nullopt;
}

std::vector<std::int64_t> ToolValues::counts(std::string_view name) const {
  std::vector<std::int64_t> counts;
  const auto value = text(name);
  const Option* option = find_option(name);
  if (!value || !option) return counts;
  for (const std::string& element : expand_list(*option, *value).values) {
    if (const auto count = parse_count(element)) counts.push_back(*count);  // and no word
  }
  return counts;
}

std::optional<double> ToolValues::share(std::string_view name) const {
  const auto value = text(name);
  return value ? parse_share(*value) : std::nullopt;
}

bool ToolValues::given(std::string_view name) const {
  const auto found = raw_.find(name);
  return found != raw_.end() && found->second.origin != "default";
}

bool ToolValues::on(std::string_view name) const {
  const auto value = text(name);
  return value && parse_switch(*value).value_or(false);
}

}  // namespace scalemark::settings
