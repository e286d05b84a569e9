#include "core/launch/slurm_lists.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/base/text.h"
#include "core/launch/variables.h"

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
  for (const std::string_view range : scalemark::split(ranges, ",")) {
    if (!append_range(range, numbers)) return {};
  }
  return numbers;
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

// Text before and behind the last number of a name, and how many digits that has.
using Around = std::tuple<std::string, std::string, std::size_t>;

// "001-003,007" of ascending numbers.
std::string ranges_text(const std::set<long>& numbers, std::size_t width) {
  return number_ranges(numbers, [width](long number) { return padded(number, width); });
}

}  // namespace

std::string compressed_nodelist(const std::vector<std::string>& names) {
  constexpr std::string_view kDigits = "0123456789";
  std::map<Around, std::set<long>> numbered;
  std::set<std::string> others;
  for (const std::string& name : names) {
    const auto end = name.find_last_of(kDigits);
    const auto before = end == std::string::npos ? end : name.find_last_not_of(kDigits, end);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    const auto number =
        end == std::string::npos
            ? std::nullopt
            : parse_whole<long>(std::string_view(name).substr(begin, end + 1 - begin));
    if (number) {
      numbered[{name.substr(0, begin), name.substr(end + 1), end + 1 - begin}].insert(*number);
    } else {
      others.insert(name);
    }
  }
  // Without zeros in front, n9 and n10 are of one range.
  std::map<Around, std::set<long>> ranges_of;
  for (auto& [around, numbers] : numbered) {
    const auto& [head, tail, width] = around;
    const bool is_padded = std::to_string(*numbers.begin()).size() < width;
    ranges_of[{head, tail, is_padded ? width : 0}].merge(numbers);
  }
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ",") + part; };
  for (const std::string& name : others) add(name);
  for (const auto& [around, numbers] : ranges_of) {
    const auto& [head, tail, width] = around;
    const std::string ranges = ranges_text(numbers, width);
    add(numbers.size() == 1 ? head + ranges + tail : head + "[" + ranges + "]" + tail);
  }
  return text;
}

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
  for (std::string_view part : scalemark::split(tasks_per_node, ",")) {
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
  }
  return {};
}

}  // namespace scalemark::launching
