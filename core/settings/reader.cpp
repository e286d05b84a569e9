#include "core/settings/reader.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "core/base/characters.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/collectives/collective.h"
#include "core/settings/comm_settings.h"
#include "core/settings/layers.h"
#include "core/settings/problem.h"
#include "core/settings/settings.h"
#include "core/settings/sweep_settings.h"

namespace scalemark::settings {
namespace {

constexpr const char* kRangeForm = "a range runs upwards with a step, like 32..256x2 or 1..9+2";
constexpr const char* kSizeRangeForm =
    "a range runs upwards with a step, like 1KiB..64MiBx4 or 1MiB..8MiB+1MiB";

struct RangeText {
  std::string_view low, high, step;
  bool geometric = false;
};

// Returns nullopt for what is not LOW..HIGHxRATIO (also HIGH*RATIO, which shells may take for a
// file name) or LOW..HIGH+STEP.
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

// "a,b" -> "a", "b". In lists of a variable "\," is a comma of a value, and nothing between two
// commas is kUnset.
std::vector<std::string> elements_in(std::string_view text, bool of_variable) {
  std::vector<std::string> elements(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escaped = of_variable && i > 0 && text[i - 1] == '\\';
    if (text[i] == ',' && !is_escaped) {
      elements.emplace_back();
    } else {
      elements.back() += text[i];
    }
  }
  for (std::string& element : elements) {
    if (of_variable && element.empty()) element = kUnset;
  }
  return elements;
}

// One text of one option, read value by value.
class RowReader {
 public:
  RowReader(const std::string& key, const RawValue& given, bool in_list)
      : option_(*find_row(key)), key_(key), given_(given), in_list_(in_list) {}

  Reading run() {
    const bool is_variable = option_.kind == Kind::kVariable;
    if (!in_list_ && !is_variable) {
      take(given_.text);
      return std::move(out_);
    }
    const auto elements = elements_in(given_.text, is_variable);
    if (!in_list_ && elements.size() > 1) {
      refuse(given_.text, "one value is expected: only a sweep takes a list",
             "write \\, for a comma that belongs to the value");
      return std::move(out_);
    }
    for (const std::string& element : elements) {
      const bool is_range = has_ranges(option_) && element.find("..") != std::string::npos;
      if (is_range) {
        take_range(element);
      } else {
        take(element);
      }
    }
    return std::move(out_);
  }

 private:
  void take(const std::string& text) {
    auto value = read(option_, text);
    // A sweep looks for the largest batch that fits.
    if (!value && in_list_ && option_.name == "batch_size" && text == "auto") value.emplace();
    if (!value) return refuse(text, allowed(text), hint(text));
    const bool has_spellings = option_.kind == Kind::kMessageSize;
    const std::string one = has_spellings ? std::get<std::string>(*value) : text;
    if (option_.kind == Kind::kVariable) {
      value = Variables{{std::string(variable_in(key_)), value_of_variable(text)}};
    }
    if (std::ranges::count(out_.texts, one) == 0) {
      out_.values.push_back(*std::move(value));
      out_.texts.push_back(one);
      return;
    }
    const std::string note =
        option_flag(key_) + " names " + one + " more than once; it is measured once per block";
    if (std::ranges::count(out_.notes, note) == 0) out_.notes.push_back(note);
  }

  void take_range(const std::string& text) {
    const auto range = split_range(text);
    const auto values = range ? range_values(option_, *range) : std::vector<std::string>();
    for (const std::string& value : values) take(value);
    if (!values.empty()) return;
    const char* form = option_.kind == Kind::kMessageSize ? kSizeRangeForm : kRangeForm;
    refuse(text, form + (", and holds at most " + std::to_string(kMostPoints) + " values"), "");
  }

  std::string allowed(const std::string& refused) const {
    const Kind kind = option_.kind;
    if (!in_list_) return allowed_text(option_, refused) + " is allowed";
    if (kind == Kind::kVariable) return "text in UTF-8 is allowed, or a list of it";
    return allowed_text(option_, refused) + (option_.name == "batch_size" ? ", or auto" : "") +
           " is allowed, or a list" +
           (kind == Kind::kMessageSize ? " or range (1KiB..64MiBx4)"
            : has_ranges(option_)      ? " (1,2,4) or range (32..256x2, 1..9+2)"
                                       : "") +
           " of them";
  }

  std::string hint(const std::string& refused) const {
    if (option_.kind == Kind::kChoice) {
      const bool is_gpu = refused == "gpu" && std::ranges::count(option_.choices, "cuda") > 0;
      return did_you_mean(is_gpu ? "cuda" : refused, option_.choices);
    }
    if (in_list_ || option_.kind != Kind::kPath || is_utf8(refused)) return {};
    return "`data pack` and `data verify` take such a path; here a link to it does, `ln -s`, since "
           "reports hold UTF-8";
  }

  void refuse(const std::string& found, std::string allowed, std::string hint) {
    out_.problems.push_back({key_, found, std::move(allowed), given_.origin, std::move(hint)});
  }

  const Option& option_;
  const std::string& key_;
  const RawValue& given_;
  const bool in_list_;
  Reading out_;
};

}  // namespace

Reading read_value(const std::string& key, const RawValue& value) {
  return RowReader(key, value, false).run();
}

Reading read_list(const std::string& key, const RawValue& value) {
  return RowReader(key, value, true).run();
}

std::vector<Problem> bad_values(const RawSettings& raw) {
  Remarks found;
  for (const auto& [key, value] : raw) {
    if (!find_row(key)) continue;
    // This is a list in every command that has it; sweeps make lists of others, too.
    found.add(key == "world_sizes" ? read_list(key, value) : read_value(key, value));
  }
  return found.problems;
}

template <class Owner>
Remarks read_fields(const RawSettings& raw, Owner& owner) {
  Remarks found;
  for (const auto& [key, value] : raw) {
    const Option* row = find_row(key);
    if (!row || !field_of<Owner>(*row)) continue;
    const Field<Owner>& field = field_of<Owner>(*row);
    Reading reading = field.is_list ? read_list(key, value) : read_value(key, value);
    for (const FieldValue& one : reading.values) field.set(owner, one);
    found.add(std::move(reading));
  }
  return found;
}

template Remarks read_fields(const RawSettings&, Settings&);
template Remarks read_fields(const RawSettings&, SweepSettings&);
template Remarks read_fields(const RawSettings&, CommSettings&);

ToolValues::ToolValues(const Layers& layers, Command command, std::vector<std::string>& lines)
    : raw_(default_values(command)) {
  for (const auto& [name, value] : layers.raw) raw_[name] = value;
  std::vector<Problem> problems = layers.problems;
  for (Problem& problem : bad_values(raw_)) problems.push_back(std::move(problem));
  for (const Problem& problem : problems) lines.push_back(to_line(problem));
  refuse_if_invalid(problems);
}

std::optional<std::string> ToolValues::text(std::string_view name) const {
  const auto found = raw_.find(name);
  if (found == raw_.end()) return std::nullopt;
  return found->second.text;
}

std::vector<std::int64_t> ToolValues::counts(const std::string& name) const {
  std::vector<std::int64_t> counts;
  const auto found = raw_.find(name);
  if (found == raw_.end()) return counts;
  for (const FieldValue& value : read_list(name, found->second).values) {
    if (const auto* count = std::get_if<std::int64_t>(&value)) counts.push_back(*count);
  }
  return counts;
}

bool ToolValues::given(std::string_view name) const {
  const auto found = raw_.find(name);
  return found != raw_.end() && found->second.origin != "default";
}

Settings ToolValues::settings() const {
  Settings settings;
  read_fields(raw_, settings);
  return settings;
}

}  // namespace scalemark::settings
