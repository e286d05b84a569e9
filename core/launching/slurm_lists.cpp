#include "core/launching/slurm_lists.h"

#include "core/launching/parse.h"

namespace scalemark::launching {
namespace {

constexpr std::size_t kMostHosts = 65536;

using Strings = std::vector<std::string>;

// Splits the list at commas outside brackets.
std::optional<std::vector<std::string_view>> split(std::string_view list) {
  std::vector<std::string_view> parts;
  std::size_t start = 0;
  bool inside = false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '[' && inside) return {};
    if (list[i] == ']' && !inside) return {};
    if (list[i] == '[') inside = true;
    if (list[i] == ']') inside = false;
    if (list[i] == ',' && !inside) {
      parts.push_back(list.substr(start, i - start));
      start = i + 1;
    }
  }
  if (inside) return {};
  parts.push_back(list.substr(start));
  for (const auto part : parts) {
    if (part.empty()) return {};
  }
  return parts;
}

std::string padded(long number, std::size_t width) {
  auto digits = std::to_string(number);
  if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
  return digits;
}

// "1-3" or "007": the width of the first number is kept.
bool append_range(std::string_view range, Strings& into) {
  const auto dash = range.find('-');
  const auto first_text = range.substr(0, dash);
  const auto first = parse_whole<long>(first_text);
  const auto last =
      dash == std::string_view::npos ? first : parse_whole<long>(range.substr(dash + 1));
  if (!first || !last || *last < *first) return false;
  if (static_cast<std::size_t>(*last - *first) >= kMostHosts) return false;
  for (long n = *first; n <= *last; ++n) into.push_back(padded(n, first_text.size()));
  return into.size() <= kMostHosts;
}

std::optional<Strings> numbers_of(std::string_view ranges) {
  Strings numbers;
  while (true) {
    const auto comma = ranges.find(',');
    if (!append_range(ranges.substr(0, comma), numbers)) return {};
    if (comma == std::string_view::npos) return numbers;
    ranges.remove_prefix(comma + 1);
  }
}

std::optional<Strings> times(const Strings& heads, const Strings& tails) {
  if (heads.size() * tails.size() > kMostHosts) return {};
  Strings product;
  for (const auto& head : heads) {
    for (const auto& tail : tails) product.push_back(head + tail);
  }
  return product;
}

std::optional<Strings> expand_name(std::string_view name) {
  Strings hosts = {""};
  while (!name.empty()) {
    const auto open = name.find('[');
    for (auto& host : hosts) host += name.substr(0, open);
    if (open == std::string_view::npos) break;
    const auto close = name.find(']', open);
    const auto numbers = numbers_of(name.substr(open + 1, close - open - 1));
    if (!numbers) return {};
    auto product = times(hosts, *numbers);
    if (!product) return {};
    hosts = *std::move(product);
    name.remove_prefix(close + 1);
  }
  return hosts;
}

}  // namespace

std::optional<std::vector<std::string>> expand_nodelist(std::string_view list) {
  const auto parts = split(list);
  if (!parts) return {};
  Strings hosts;
  for (const auto part : *parts) {
    const auto some = expand_name(part);
    if (!some || hosts.size() + some->size() > kMostHosts) return {};
    hosts.insert(hosts.end(), some->begin(), some->end());
  }
  return hosts;
}

std::optional<int> tasks_on_node(std::string_view tasks_per_node, int node) {
  long before = 0;
  while (true) {
    const auto comma = tasks_per_node.find(',');
    auto part = tasks_per_node.substr(0, comma);
    long repeats = 1;
    if (const auto times = part.find("(x"); times != std::string_view::npos) {
      if (!part.ends_with(')')) return {};
      const auto count = parse_whole<int>(part.substr(times + 2, part.size() - times - 3));
      if (!count || *count < 1) return {};
      repeats = *count;
      part = part.substr(0, times);
    }
    const auto tasks = parse_whole<int>(part);
    if (!tasks) return {};
    before += repeats;
    if (node < before) return tasks;
    if (comma == std::string_view::npos) return {};
    tasks_per_node.remove_prefix(comma + 1);
  }
}

}  // namespace scalemark::launching
