#include "core/settings/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/base/characters.h"
#include "core/base/number_words.h"
#include "core/base/text.h"
#include "core/collectives/collective.h"

namespace scalemark::settings {
namespace {

// Texts end in JSON reports, which hold UTF-8 only.
bool is_text(std::string_view text) {
  return !text.empty() && is_utf8(text) && text.find('\0') == std::string_view::npos;
}

bool in_range(const Range& range, double value) {
  if (range.low && (range.low_excluded ? value <= *range.low : value < *range.low)) return false;
  if (range.high && (range.high_excluded ? value >= *range.high : value > *range.high))
    return false;
  return true;
}

std::string_view without_plus(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return text;
}

// Calls `use(part)` for each part between commas; false as soon as one call is.
template <class Use>
bool for_each_part(std::string_view text, Use use) {
  while (true) {
    const std::size_t comma = text.find(',');
    if (!use(text.substr(0, comma))) return false;
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

bool add_timeout(Timeouts& timeouts, bool& every_given, std::string_view part) {
  const std::size_t equals = part.find('=');
  const bool for_one_phase = equals != std::string_view::npos;
  const auto seconds = parse_seconds(for_one_phase ? part.substr(equals + 1) : part);
  if (!seconds || *seconds <= 0) return false;
  if (!for_one_phase) {
    timeouts.every_s = *seconds;
    return !std::exchange(every_given, true);
  }
  const std::string_view phase = part.substr(0, equals);
  if (std::ranges::count(timeout_phases(), phase) == 0) return false;
  return timeouts.phase_s.emplace(phase, *seconds).second;
}

bool add_memory_limit(MemoryLimits& limits, std::string_view part) {
  const std::size_t equals = part.find('=');
  const bool for_one_rank = equals != std::string_view::npos;
  const auto bytes = parse_byte_size(for_one_rank ? part.substr(equals + 1) : part);
  if (!bytes) return false;
  if (!for_one_rank) {
    if (limits.every_bytes) return false;
    limits.every_bytes = bytes;
    return true;
  }
  const auto rank = parse_count(part.substr(0, equals));
  if (!rank || *rank < 0 || !std::in_range<int>(*rank)) return false;
  return limits.bytes_of_rank.emplace(static_cast<int>(*rank), *bytes).second;
}

// Whether `text` begins with a number that T does not hold.
template <class T>
bool begins_beyond(std::string_view text) {
  T value{};
  text.remove_prefix(text.starts_with('+'));
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  return read.ec == std::errc::result_out_of_range;
}

// The limit of what a double holds, where the number that `text` begins with is beyond it.
std::string limit_of_numbers(std::string_view text) {
  if (!begins_beyond<double>(text)) return {};
  const bool is_small = text.find_first_of("eE") != std::string_view::npos &&
                        text.substr(text.find_first_of("eE")).find('-') != std::string_view::npos;
  return is_small ? ", at least 5e-324" : ", at most 1.7e+308";
}

bool has_long_number(std::string_view text) {
  constexpr std::size_t kLong = 7;  // with TiB behind it, it may be more than int64 holds
  std::size_t digits = 0;
  return std::ranges::any_of(text, [&](char c) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    return digits >= kLong;
  });
}

std::string limit_text(const Option& option, std::string_view refused) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  switch (option.kind) {
    case Kind::kCount:
    case Kind::kStepsOrTime:
      return begins_beyond<std::int64_t>(refused) && !option.range.high
                 ? ", at most " + std::to_string(kMost)
                 : "";
    case Kind::kNumber:
    case Kind::kSeconds:
    case Kind::kShare:
      return limit_of_numbers(refused);
    case Kind::kTimeouts:
      return limit_of_numbers(refused.substr(refused.find('=') + 1));
    case Kind::kMemoryLimit:
      return has_long_number(refused) ? ", at most " + std::to_string(kMost) + " bytes" : "";
    case Kind::kMessageSize:
      return has_long_number(refused)
                 ? ", at most " + std::to_string(collectives::kLargestSize) + " of them"
                 : "";
    default:
      return {};
  }
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

std::optional<FieldValue> read_text(const Option&, std::string_view text) {
  return is_text(text) ? std::optional<FieldValue>(std::string(text)) : std::nullopt;
}

std::optional<FieldValue> read_choice(const Option& option, std::string_view text) {
  return std::ranges::count(option.choices, text) > 0 ? read_text(option, text) : std::nullopt;
}

std::optional<FieldValue> read_choices(const Option& option, std::string_view text) {
  const bool good =
      for_each_part(text, [&](auto part) { return read_choice(option, part).has_value(); });
  return good ? read_text(option, text) : std::nullopt;
}

template <auto Parse>
std::optional<FieldValue> read_parsed(const Option& option, std::string_view text) {
  const auto value = Parse(text);
  if (!value) return std::nullopt;
  if constexpr (std::is_arithmetic_v<std::decay_t<decltype(*value)>>) {
    if (!in_range(option.range, static_cast<double>(*value))) return std::nullopt;
  }
  return *value;
}

std::optional<FieldValue> read_steps_or_time(const Option& option, std::string_view text) {
  return parse_steps_or_time(text) ? read_text(option, text) : std::nullopt;
}

// Sizes have several spellings, and are the same text here: 4KiB, 4096, 4096B.
std::optional<FieldValue> read_message_size(const Option&, std::string_view text) {
  const auto size = collectives::parse_message_size(text);
  return size ? std::optional<FieldValue>(collectives::to_text(*size)) : std::nullopt;
}

// A kind of value has words on its values, which stand around the choices or the range, and a
// function that reads one.
struct KindOfValue {
  Kind kind;
  const char* before;
  const char* after;
  std::optional<FieldValue> (*read)(const Option&, std::string_view);
  bool is_text = false;  // words beside its values are texts too, else they stand for none
};

constexpr KindOfValue kKinds[] = {
    {Kind::kText, "text that is not empty", "", read_text, true},
    {Kind::kPath, "a path", "", read_text, true},
    {Kind::kChoice, "one of ", "", read_choice, true},
    {Kind::kChoices, "", ", or several of them with commas between", read_choices, true},
    {Kind::kSwitch, "on or off", "", read_parsed<parse_switch>},
    {Kind::kFlag, "on or off", "", read_parsed<parse_switch>},
    {Kind::kCount, "a whole number", "", read_parsed<parse_count>},
    {Kind::kNumber, "a number", "", read_parsed<parse_number>},
    {Kind::kSeconds, "seconds", ", or with a unit (500ms, 2s, 5m, 1h)", read_parsed<parse_seconds>},
    {Kind::kStepsOrTime, "a number above 0 with its unit: 100steps, 90s, 10m, 1h", "",
     read_steps_or_time, true},
    {Kind::kTimeouts, "SECONDS or PHASE=SECONDS,... above 0, the phases being ", "",
     read_parsed<parse_timeouts>},
    {Kind::kMemoryLimit,
     "SIZE or RANK=SIZE,... with SIZE a whole number and its unit: 512MiB, 2GiB, 2GB, 4096B", "",
     read_parsed<parse_memory_limits>},
    {Kind::kBetas, "two numbers from 0 to 1 (excluded) with a comma between, like 0.9,0.999", "",
     read_parsed<parse_betas>},
    {Kind::kShare, "a share", ", like 0.02 or 2%", read_parsed<parse_share>},
    {Kind::kMessageSize, "a size in bytes (4KiB, 64MiB, 1MB, 4096) or in elements (1Mi:elem)", "",
     read_message_size, true},
    {Kind::kVariable, "text, or unset", "", read_text, true},
};

const KindOfValue& kind_of(const Option& option) {
  return *std::ranges::find(kKinds, option.kind, &KindOfValue::kind);
}

}  // namespace

std::optional<std::int64_t> parse_count(std::string_view text) {
  return whole_number<std::int64_t>(without_plus(text));
}

std::optional<double> parse_number(std::string_view text) {
  const auto value = whole_number<double>(without_plus(text));
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<double> parse_seconds(std::string_view text) {
  struct Unit {
    std::string_view suffix;
    double seconds;
  };
  static constexpr Unit kUnits[] = {{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}};
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.suffix)) continue;
    const auto number = parse_number(text.substr(0, text.size() - unit.suffix.size()));
    if (!number || !std::isfinite(*number * unit.seconds)) return std::nullopt;
    return *number * unit.seconds;
  }
  return parse_number(text);
}

std::optional<StepsOrTime> parse_steps_or_time(std::string_view text) {
  constexpr std::string_view kSteps = "steps";
  if (text.ends_with(kSteps)) {
    const auto steps = parse_count(text.substr(0, text.size() - kSteps.size()));
    if (!steps || *steps < 1) return std::nullopt;
    return StepsOrTime{.steps = steps};
  }
  if (parse_number(text)) return std::nullopt;  // no unit
  const auto seconds = parse_seconds(text);
  if (!seconds || *seconds <= 0) return std::nullopt;
  return StepsOrTime{.seconds = seconds};
}

std::optional<bool> parse_switch(std::string_view text) {
  if (text == "on" || text == "true" || text == "1") return true;
  if (text == "off" || text == "false" || text == "0") return false;
  return std::nullopt;
}

std::optional<Timeouts> parse_timeouts(std::string_view text) {
  Timeouts timeouts;
  bool every_given = false;
  const bool good = for_each_part(
      text, [&](std::string_view part) { return add_timeout(timeouts, every_given, part); });
  if (!good) return std::nullopt;
  return timeouts;
}

std::optional<double> parse_share(std::string_view text) {
  if (!text.ends_with('%')) return parse_number(text);
  const auto percent = parse_number(text.substr(0, text.size() - 1));
  return percent ? std::optional(*percent / 100) : std::nullopt;
}

std::optional<MemoryLimits> parse_memory_limits(std::string_view text) {
  MemoryLimits limits;
  const bool good =
      for_each_part(text, [&](std::string_view part) { return add_memory_limit(limits, part); });
  if (!good) return std::nullopt;
  return limits;
}

std::optional<Betas> parse_betas(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const auto first = parse_number(text.substr(0, comma));
  const auto second = parse_number(text.substr(comma + 1));
  const auto is_beta = [](const auto& beta) { return beta && *beta >= 0 && *beta < 1; };
  if (!is_beta(first) || !is_beta(second)) return std::nullopt;
  return Betas{*first, *second};
}

bool has_optional_value(const Option& option) {
  return option.kind == Kind::kFlag || std::ranges::count(option.words, "on") > 0;
}

std::optional<FieldValue> read(const Option& option, std::string_view text) {
  const KindOfValue& kind = kind_of(option);
  if (std::ranges::count(option.words, text) == 0) return kind.read(option, text);
  return kind.is_text ? FieldValue(std::string(text)) : FieldValue();
}

std::string allowed_text(const Option& option, std::string_view refused) {
  if (!is_utf8(refused)) {
    return std::string("it is not UTF-8: ") + (option.kind == Kind::kPath ? "a path" : "text") +
           " in UTF-8";
  }
  const KindOfValue& kind = kind_of(option);
  const bool is_of_phases = option.kind == Kind::kTimeouts;
  std::string text = kind.before + joined(is_of_phases ? timeout_phases() : option.choices, ", ") +
                     range_text(option.range) + kind.after;
  if (!option.words.empty()) text += ", or " + joined(option.words, ", ");
  return text + limit_text(option, refused);
}

std::string to_text(double value) { return exact(value); }

}  // namespace scalemark::settings
