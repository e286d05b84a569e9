#include "core/settings/option.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/settings/layers.h"
#include "core/settings/table/table.h"

namespace scalemark::settings {
namespace {

// "N", "N|auto": most options of a kind call their values so.
std::string usual_value_name(const Option& row) {
  constexpr std::pair<Kind, const char*> kNames[] = {
      {Kind::kPath, "FILE"},       {Kind::kCount, "N"},     {Kind::kNumber, "X"},
      {Kind::kSeconds, "SECONDS"}, {Kind::kShare, "SHARE"}, {Kind::kSwitch, "on|off"}};
  if (row.kind == Kind::kChoice) return joined(row.choices, "|");
  std::string name;
  for (const auto& [kind, usual] : kNames) {
    if (kind == row.kind) name = usual;
  }
  for (const std::string_view word : row.words) name += name.empty() ? "" : "|" + std::string(word);
  return name;
}

// The table of the options, or that with what only a recipe sets.
std::vector<Option> join_table(bool with_recipe_only_rows) {
  std::vector<Option> joined;
  const auto add = [&](OptionGroup group, std::vector<Option> part) {
    for (Option& row : part) {
      row.group = group;
      if (row.value_name.empty()) row.value_name = usual_value_name(row);
      joined.push_back(std::move(row));
    }
  };
  add(OptionGroup::kWhat, table::what_options());
  add(OptionGroup::kSize, table::size_options());
  add(OptionGroup::kRecipe, table::recipe_options());
  add(OptionGroup::kParallel, table::parallel_options());
  add(OptionGroup::kLoading, table::loading_options());
  add(OptionGroup::kLoading, table::augmenting_options());
  add(OptionGroup::kMeasuring, table::measuring_options());
  add(OptionGroup::kSweeping, table::sweep_options());
  add(OptionGroup::kCollectives, table::comm_options());
  add(OptionGroup::kLaunch, table::launch_options());
  add(OptionGroup::kTool, table::tool_options());
  add(OptionGroup::kGeneral, table::general_options());
  if (with_recipe_only_rows) add(OptionGroup::kRecipe, table::recipe_only_rows());
  return joined;
}

using RowsByName = std::map<std::string, const Option*, std::less<>>;

RowsByName by_name(std::span<const Option> rows) {
  RowsByName found;
  for (const Option& row : rows) {
    found.emplace(row.name, &row);
    for (const std::string_view alias : row.aliases) found.emplace(alias, &row);
  }
  return found;
}

}  // namespace

std::span<const Option> all_options() {
  static const std::vector<Option> options = join_table(false);
  return options;
}

std::span<const Option> all_rows() {
  static const std::vector<Option> rows = join_table(true);
  return rows;
}

const Option* find_row(std::string_view key) {
  static const RowsByName rows = by_name(all_rows());
  if (is_variable_key(key)) key = kVariableOption;
  for (const std::string_view part : {"_by_phase", "_by_rank"}) {
    if (key.ends_with(part)) key.remove_suffix(part.size());
  }
  return value_at(rows, key, nullptr);
}

const Option* find_option(std::string_view name) {
  static const RowsByName options = by_name(all_options());
  return value_at(options, is_variable_key(name) ? kVariableOption : normalised(name), nullptr);
}

const Option* find_option(std::string_view name, Command command) {
  const Option* option = find_option(name);
  if (option || !(command & kTakesLists)) return option;
  const std::string wanted = normalised(name);
  for (const Option& candidate : all_options()) {
    if (plural(candidate) == wanted) return &candidate;
  }
  return nullptr;
}

std::string plural(const Option& option) {
  const bool has_none = option.name.ends_with('s') || option.name == "data" || option.layer;
  if (!is_axis(option) || has_none) return {};
  std::string name(option.name);
  if (!name.ends_with('y')) return name + "s";
  name.pop_back();
  return name + "ies";
}

std::string option_flag(std::string_view name) {
  if (is_variable_key(name)) return "--env " + std::string(variable_in(name));
  std::string flag = "--" + std::string(name);
  std::ranges::replace(flag, '_', '-');
  return flag;
}

std::string option_flag(const Option& option) { return option_flag(option.name); }

std::string normalised(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '-', '_');
  return text;
}

const std::vector<std::string_view>& timeout_phases() {
  static const std::vector<std::string_view> phases{
      "rendezvous", "data", "preflight", "model", "warmup", "window", "epochs", "report", "wait"};
  return phases;
}

bool takes(Command command, const Option& option) {
  const bool by_group = (command_groups(command) & bit(option.group)) != 0;
  return (by_group && !(option.without & command)) || (option.commands & command) != 0;
}

std::vector<std::string_view> option_names(Command command) {
  std::vector<std::string_view> names;
  for (const Option& option : all_options()) {
    if (takes(command, option)) names.push_back(option.name);
  }
  return names;
}

}  // namespace scalemark::settings
