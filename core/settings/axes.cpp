#include "core/settings/axes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/base/text.h"
#include "core/collectives/message_size.h"
#include "core/settings/near_match.h"
#include "core/settings/value.h"

namespace scalemark::settings {
namespace {

constexpr const char* kRangeForm = "a range runs upwards with a step, like 32..256x2 or 1..9+2";
constexpr const char* kSizeRangeForm =
    "a range runs upwards with a step, like 1KiB..64MiBx4 or 1MiB..8MiB+1MiB";

struct RangeText {
  std::string_view low, high, step;
  bool geometric = false;
};

// Absent for what is not LOW..HIGHxRATIO (also HIGH*RATIO, which shells may take for a file name)
// or LOW..HIGH+STEP.
std::optional<RangeText> split_range(std::string_view text) {
  const std::size_t dots = text.find("..");
  std::string_view rest = text.substr(dots + 2);
  std::size_t mark = rest.find_first_of("x*");
  const bool geometric = mark != std::string_view::npos;
  if (!geometric) {
    mark = rest.rfind('+');
    const bool exponent = mark != std::string_view::npos && mark > 0 &&
                          (rest[mark - 1] == 'e' || rest[mark - 1] == 'E');
    if (exponent) mark = std::string_view::npos;  // "1e+3"
  }
  if (mark == std::string_view::npos) return std::nullopt;
  return RangeText{text.substr(0, dots), rest.substr(0, mark), rest.substr(mark + 1), geometric};
}

// Empty when the range is none, or holds more than kMostPoints values.
std::vector<std::string> whole_range(const RangeText& range) {
  const auto low = parse_count(range.low), high = parse_count(range.high),
             step = parse_count(range.step);
  if (!low || !high || !step || *low > *high) return {};
  if (range.geometric ? *step < 2 || *low < 1 : *step < 1) return {};
  std::vector<std::string> values;
  for (std::int64_t value = *low; value <= *high;) {
    if (values.size() == kMostPoints) return {};
    values.push_back(std::to_string(value));
    const bool overflow = range.geometric ? __builtin_mul_overflow(value, *step, &value)
                                          : __builtin_add_overflow(value, *step, &value);
    if (overflow) break;
  }
  return values;
}

// Steps are counted, not summed, and texts rounded to 12 digits: 0.1..0.5+0.1 ends at 0.5.
std::vector<std::string> number_range(const RangeText& range) {
  const auto low = parse_number(range.low), high = parse_number(range.high),
             step = parse_number(range.step);
  if (!low || !high || !step || *low > *high) return {};
  if (range.geometric ? *step <= 1 || *low <= 0 : *step <= 0) return {};
  std::vector<std::string> values;
  for (int i = 0;; ++i) {
    const double value = range.geometric ? *low * std::pow(*step, i) : *low + *step * i;
    if (value > *high + 1e-9 * std::abs(*high)) return values;
    if (values.size() == kMostPoints) return {};
    values.push_back(to_text(*parse_number(printed("%.12g", value))));
  }
}

bool accepts_in_sweep(const Option& option, std::string_view text) {
  return accepts(option, text) || (option.name == "batch_size" && text == "auto");
}

std::vector<std::string> message_size_range(const RangeText& range) {
  std::vector<std::string> values;
  for (const collectives::MessageSize& size :
       collectives::size_range(range.low, range.high, range.step, range.geometric, kMostPoints)) {
    values.push_back(collectives::to_text(size));
  }
  return values;
}

std::vector<std::string> range_values(const Option& option, const RangeText& range) {
  if (option.kind == Kind::kCount) return whole_range(range);
  return option.kind == Kind::kMessageSize ? message_size_range(range) : number_range(range);
}

bool has_ranges(const Option& option) {
  return option.kind == Kind::kCount || option.kind == Kind::kNumber ||
         option.kind == Kind::kMessageSize;
}

std::string allowed_in_sweep(const Option& option, std::string_view refused) {
  const bool number = option.kind == Kind::kCount || option.kind == Kind::kNumber;
  if (option.kind == Kind::kMessageSize) {
    return allowed_text(option, refused) +
           " is allowed, or a list or range (1KiB..64MiBx4) of them";
  }
  return allowed_text(option, refused) + (option.name == "batch_size" ? ", or auto" : "") +
         (number ? " is allowed, or a list (1,2,4) or range (32..256x2, 1..9+2) of them"
                 : " is allowed, or a list of them");
}

// Sizes have several: 4KiB, 4096, 4096B.
std::string one_spelling(const Option& option, const std::string& value) {
  if (option.kind != Kind::kMessageSize) return value;
  return collectives::to_text(*collectives::parse_message_size(value));
}

void add_value(const Option& option, const std::string& value, ValueList& list) {
  if (!accepts_in_sweep(option, value)) {
    std::string hint =
        option.kind == Kind::kChoice ? did_you_mean(value, option.choices) : std::string();
    list.bad.push_back({value, allowed_in_sweep(option, value), std::move(hint)});
    return;
  }
  const std::string text = one_spelling(option, value);
  if (std::ranges::count(list.values, text) == 0) {
    list.values.push_back(text);
  } else if (std::ranges::count(list.twice, text) == 0) {
    list.twice.push_back(text);
  }
}

void add_range(const Option& option, std::string_view text, ValueList& list) {
  const auto range = split_range(text);
  std::vector<std::string> values;
  if (range) values = range_values(option, *range);
  if (values.empty()) {
    list.bad.push_back(
        {std::string(text),
         std::string(option.kind == Kind::kMessageSize ? kSizeRangeForm : kRangeForm) +
             ", and holds at most " + std::to_string(kMostPoints) + " values",
         ""});
  }
  for (const std::string& value : values) add_value(option, value, list);
}

}  // namespace

ValueList expand_list(const Option& option, std::string_view text) {
  const bool ranges = has_ranges(option);
  ValueList list;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    if (ranges && part.find("..") != std::string_view::npos) {
      add_range(option, part, list);
    } else {
      add_value(option, std::string(part), list);
    }
    if (comma == std::string_view::npos) return list;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace scalemark::settings
