#include "core/settings/tool_values.h"

#include <utility>

#include "core/settings/defaults.h"

namespace scalemark::settings {

ToolValues::ToolValues(const Layers& layers, Command command, std::vector<std::string>& lines)
    : raw_(default_values(command)) {
  for (const auto& [name, value] : layers.raw) raw_[name] = value;
  std::vector<Problem> problems = layers.problems;
  for (Problem& problem : bad_values(raw_)) problems.push_back(std::move(problem));
  for (const Problem& problem : problems) lines.push_back(to_line(problem));
  refuse_if_invalid(problems);
}

std::optional<std::string> ToolValues::text(std::string_view name) const {
  const auto found = raw_.find(name);
  if (found == raw_.end()) return std::nullopt;
  return found->second.text;
}

std::vector<std::int64_t> ToolValues::counts(const std::string& name) const {
  std::vector<std::int64_t> counts;
  const auto found = raw_.find(name);
  if (found == raw_.end()) return counts;
  for (const FieldValue& value : read_list(name, found->second).values) {
    if (const auto* count = std::get_if<std::int64_t>(&value)) counts.push_back(*count);
  }
  return counts;
}

bool ToolValues::given(std::string_view name) const {
  const auto found = raw_.find(name);
  return found != raw_.end() && found->second.origin != "default";
}

Settings ToolValues::settings() const {
  Settings settings;
  read_fields(raw_, settings);
  return settings;
}

}  // namespace scalemark::settings
