#include "core/settings/option.h"

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "core/settings/table/table.h"
#include "core/settings/variables.h"

namespace scalemark::settings {
namespace {

// "N", "N|auto": most options of a kind call their values so.
std::string usual_value_name(const Option& row) {
  constexpr std::pair<Kind, const char*> kNames[] = {{Kind::kPath, "FILE"},
                                                     {Kind::kCount, "N"},
                                                     {Kind::kNumber, "X"},
                                                     {Kind::kSeconds, "SECONDS"},
                                                     {Kind::kShare, "SHARE"}};
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
  const auto add = [&](Group group, std::vector<Option> part) {
    for (Option& row : part) {
      row.group = group;
      if (row.value_name.empty()) row.value_name = usual_value_name(row);
      joined.push_back(std::move(row));
    }
  };
  add(Group::kWhat, table::what_options());
  add(Group::kSize, table::size_options());
  add(Group::kRecipe, table::recipe_options());
  add(Group::kParallel, table::parallel_options());
  add(Group::kLoading, table::loading_options());
  add(Group::kLoading, table::augmenting_options());
  add(Group::kMeasuring, table::measuring_options());
  add(Group::kSweeping, table::sweep_options());
  add(Group::kCollectives, table::comm_options());
  add(Group::kLaunch, table::launch_options());
  add(Group::kTool, table::tool_options());
  add(Group::kGeneral, table::general_options());
  if (with_recipe_only_rows) add(Group::kRecipe, table::recipe_only_rows());
  return joined;
}

std::string number_text(double value) { return printed("%.15g", value); }

std::string range_text(const Range& range) {
  if (range.low && range.high) {
    return " from " + number_text(*range.low) + (range.low_excluded ? " (excluded)" : "") + " to " +
           number_text(*range.high) + (range.high_excluded ? " (excluded)" : "");
  }
  if (range.low && range.low_excluded) return " above " + number_text(*range.low);
  if (range.low) return " from " + number_text(*range.low) + " on";
  return "";
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
  if (is_variable_key(key)) key = kVariableOption;
  for (const std::string_view part : {"_by_phase", "_by_rank"}) {
    if (key.ends_with(part)) key.remove_suffix(part.size());
  }
  for (const Option& row : all_rows()) {
    if (row.name == key) return &row;
  }
  return nullptr;
}

const Option* find_option(std::string_view name) {
  const std::string wanted = is_variable_key(name) ? kVariableOption : normalised(name);
  for (const Option& option : all_options()) {
    if (option.name == wanted || std::ranges::count(option.aliases, wanted) > 0) return &option;
  }
  return nullptr;
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

std::string allowed_text(const Option& option) {
  std::string text;
  switch (option.kind) {
    case Kind::kText:
      text = "text that is not empty";
      break;
    case Kind::kPath:
      text = "a path";
      break;
    case Kind::kChoice:
      text = "one of " + joined(option.choices, ", ");
      break;
    case Kind::kChoices:
      text = joined(option.choices, ", ") + ", or several of them with commas between";
      break;
    case Kind::kSwitch:
    case Kind::kFlag:
      text = "on or off";
      break;
    case Kind::kCount:
      text = "a whole number" + range_text(option.range);
      break;
    case Kind::kNumber:
      text = "a number" + range_text(option.range);
      break;
    case Kind::kSeconds:
      text = "seconds" + range_text(option.range) + ", or with a unit (500ms, 2s, 5m, 1h)";
      break;
    case Kind::kStepsOrTime:
      text = "a number above 0 with its unit: 100steps, 90s, 10m, 1h";
      break;
    case Kind::kTimeouts:
      text = "SECONDS or PHASE=SECONDS,... above 0, the phases being " +
             joined(timeout_phases(), ", ");
      break;
    case Kind::kMemoryLimit:
      text =
          "SIZE or RANK=SIZE,... with SIZE a whole number and its unit: 512MiB, 2GiB, 2GB, 4096B";
      break;
    case Kind::kBetas:
      text = "two numbers from 0 to 1 (excluded) with a comma between, like 0.9,0.999";
      break;
    case Kind::kShare:
      text = "a share" + range_text(option.range) + ", like 0.02 or 2%";
      break;
    case Kind::kMessageSize:
      text = "a size in bytes (4KiB, 64MiB, 1MB, 4096) or in elements (1Mi:elem)";
      break;
    case Kind::kVariable:
      text = "text, or " + std::string(kUnset);
      break;
  }
  if (!option.words.empty()) text += ", or " + joined(option.words, ", ");
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
