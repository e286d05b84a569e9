#include "core/placement/cpu_list.h"

#include <algorithm>

#include "core/base/number_words.h"
#include "core/base/text.h"

namespace scalemark::placement {
namespace {

constexpr int kMost = 65535;

std::optional<int> whole(std::string_view text) {
  const auto value = whole_number(text);
  return value && *value >= 0 && *value <= kMost ? value : std::nullopt;
}

void sort_once(std::vector<int>& cpus) {
  std::ranges::sort(cpus);
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
}

}  // namespace

std::optional<std::vector<int>> parse_cpu_list(std::string_view text) {
  std::vector<int> cpus;
  if (text.empty()) return cpus;
  for (const std::string_view part : split(text, ",")) {
    const auto dash = part.find('-');
    const auto first = whole(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : whole(part.substr(dash + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
  }
  sort_once(cpus);
  return cpus;
}

std::string cpu_list(std::vector<int> cpus) {
  sort_once(cpus);
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t end = i + 1;
    while (end < cpus.size() && cpus[end] == cpus[end - 1] + 1) ++end;
    text += (text.empty() ? "" : ",") + std::to_string(cpus[i]);
    if (end - i > 1) text += "-" + std::to_string(cpus[end - 1]);
    i = end;
  }
  return text;
}

}  // namespace scalemark::placement
