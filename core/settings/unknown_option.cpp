#include "core/settings/unknown_option.h"

#include <algorithm>
#include <array>

#include "core/settings/near_match.h"

namespace scalemark::settings {
namespace {

struct FormerOption {
  std::string_view name;
  unsigned commands;
  std::string_view hint;
};

// --accept promised an acceptance test but checked nothing: it set lengths and repetitions.
constexpr std::array kFormerOptions = {
    FormerOption{
        "accept", kSweep,
        "--thorough measures as long as --accept did; an acceptance test is not implemented yet"},
};

}  // namespace

std::optional<std::string> replacement_hint(std::string_view name, Command command) {
  const auto former = std::ranges::find_if(kFormerOptions, [&](const FormerOption& option) {
    return option.name == normalised(name) && (option.commands & command);
  });
  if (former == kFormerOptions.end()) return std::nullopt;
  return std::string(former->hint);
}

std::string unknown_option_hint(std::string_view name, Command command) {
  if (auto hint = replacement_hint(name, command)) return *hint;
  return did_you_mean(name, option_names(command));
}

}  // namespace scalemark::settings
