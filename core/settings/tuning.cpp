#include "core/settings/tuning.h"

#include <algorithm>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/settings/near_match.h"

namespace scalemark::settings {
namespace {

std::vector<std::string_view> tunable_names() {
  std::vector<std::string_view> names;
  for (const Option& option : all_options()) {
    if (is_compared(option)) names.push_back(option.name);
  }
  return names;
}

// The default first: effects are against it. "auto" is another word for one of the others.
std::string default_then(const Option& option, std::vector<std::string_view> words) {
  const auto first = std::ranges::find(words, option.default_text);
  if (first == words.end() || words.size() < 2 || *first == "auto") return {};
  std::rotate(words.begin(), first, first + 1);
  return joined(words, ",");
}

}  // namespace

const Option& tuned_option(std::string_view name) {
  const Option* option = name.empty() ? nullptr : find_option(name, kSweep);
  if (option && is_compared(*option)) return *option;
  const std::string hint = option ? std::string() : did_you_mean(normalised(name), tunable_names());
  throw usage("--tune '" + std::string(name) + "' is no option whose values can be compared",
              "one of " + joined(tunable_names(), ", "), hint);
}

std::string default_tune_values(const Option& option) {
  if (!option.tune_values.empty()) return std::string(option.tune_values);
  if (option.kind == Kind::kSwitch || option.kind == Kind::kFlag) {
    return default_then(option, {"on", "off"});
  }
  return option.kind == Kind::kChoice ? default_then(option, option.choices) : std::string();
}

}  // namespace scalemark::settings
