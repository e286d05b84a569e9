#include "core/plan/scaled_values.h"

#include <algorithm>

#include "core/base/words.h"
#include "core/catalogue/workload.h"
#include "core/collectives/collective.h"
#include "core/settings/value.h"

namespace scalemark::planning {
namespace {

using collectives::MessageSize;

constexpr std::int64_t kSmallestMessage = 16 * 1024;

// Empty where one of them is no number.
std::vector<std::int64_t> numbers_of(const Texts& texts) {
  std::vector<std::int64_t> numbers;
  for (const std::string& text : texts) {
    const auto number = settings::parse_count(text);
    if (!number) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

void add_once(Texts& texts, std::string text) {
  if (std::ranges::count(texts, text) == 0) texts.push_back(std::move(text));
}

std::int64_t bytes_of(const std::string& text) {
  const auto size = collectives::parse_message_size(text);
  return size ? size->count * (size->elements ? 4 : 1) : 0;
}

}  // namespace

Texts halved(const Texts& texts, std::int64_t least) {
  Texts smaller;
  for (const std::int64_t number : numbers_of(texts)) {
    add_once(smaller, std::to_string(std::min(number, std::max(least, number / 2))));
  }
  return smaller == texts ? Texts{} : smaller;
}

Texts halved_apart(const Texts& numbers, std::int64_t least) {
  Texts smaller = halved(numbers, least);
  return smaller.size() == numbers.size() ? smaller : Texts{};
}

Texts at_most(const Texts& counts, int most) {
  Texts kept;
  for (const std::string& count : counts) {
    const bool is_too_large = settings::parse_count(count).value_or(0) > most;
    add_once(kept, is_too_large ? std::to_string(most) : count);
  }
  return kept;
}

Texts without_largest(const Texts& texts, std::int64_t least) {
  const auto numbers = numbers_of(texts);
  if (numbers.empty()) return {};
  if (numbers.size() == 1) return halved(texts, least);
  if (numbers.size() == 2) return {};
  Texts smaller = texts;
  smaller.erase(smaller.begin() + (std::ranges::max_element(numbers) - numbers.begin()));
  return smaller;
}

Texts smaller_messages(const Texts& sizes) {
  const auto largest = std::ranges::max_element(sizes, {}, bytes_of);
  if (largest == sizes.end() || bytes_of(*largest) < 4 * kSmallestMessage) return {};
  MessageSize size = *collectives::parse_message_size(*largest);
  size.count /= 4;
  const std::string quarter = collectives::to_text(size);
  const auto is_larger = [&](const std::string& other) {
    return &other != &*largest && bytes_of(other) >= bytes_of(quarter);
  };
  Texts smaller = sizes;
  if (std::ranges::any_of(sizes, is_larger)) {
    smaller.erase(smaller.begin() + (largest - sizes.begin()));
  } else {
    smaller[static_cast<std::size_t>(largest - sizes.begin())] = quarter;
  }
  return smaller;
}

Texts mini_networks(const Texts& workloads) {
  Texts smaller;
  for (const std::string& name : workloads) {
    const std::string mini = name.substr(0, name.find('-')) + "-mini";
    add_once(smaller, catalogue::find_workload(mini) ? mini : name);
  }
  return smaller == workloads ? Texts{} : smaller;
}

std::string smallest_own_batch(const Texts& workloads) {
  std::int64_t least = 0;
  for (const std::string& name : workloads) {
    const catalogue::Workload* workload = catalogue::find_workload(name);
    if (!workload) continue;
    const std::int64_t own = workload->default_batch_size;
    least = least == 0 ? own : std::min(least, own);
  }
  return std::to_string(least);
}

bool is_supported(const std::string& name, const settings::PrecisionDevice& device) {
  const auto precision = find_word<settings::Precision>(name);
  return precision && !settings::why_unsupported(*precision, device);
}

Texts only(const Texts& texts, const std::function<bool(const std::string&)>& stays,
           const std::string& otherwise) {
  Texts kept;
  std::ranges::copy_if(texts, std::back_inserter(kept), stays);
  return kept.empty() ? Texts{otherwise} : kept;
}

}  // namespace scalemark::planning
