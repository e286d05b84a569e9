#include "core/settings/sweep_settings.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/settings/layers.h"
#include "core/settings/problem.h"
#include "core/settings/reader.h"

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

namespace {

// Sorts the raw values of a sweep into axes, what all points share, and the sweep's own options.
class SweepReader {
 public:
  explicit SweepReader(const RawSettings& given) : given_(given) {}

  SweepRequest run() {
    for (const Option& option : all_options()) sort_in(option);
    for (const auto& [name, value] : given_) {
      if (is_variable_key(name)) out_.axes.push_back(read_axis(name, value));
    }
    for (const auto& [name, value] : default_values(kSweep)) {
      if (field_of<SweepSettings>(*find_option(name))) out_.own.try_emplace(name, value);
    }
    out_.add(read_fields(out_.own, out_.sweep));
    read_tune();
    refuse_contradictions();
    return std::move(out_);
  }

 private:
  void sort_in(const Option& option) {
    const auto found = given_.find(option.name);
    if (found == given_.end()) return;
    const auto& [name, value] = *found;
    if (!is_axis(option)) {
      (field_of<SweepSettings>(option) ? out_.own : out_.common)[name] = value;
      if (name == "device") refuse_several_devices();
      return;
    }
    Reading reading = read_list(name, value);
    out_.add(reading);
    if (reading.values.empty()) return;  // a problem is recorded already
    if (name == "world_sizes") return take_world_sizes(reading.values, value.origin);
    out_.axes.push_back({name, std::move(reading.texts), value.origin});
  }

  Axis read_axis(const std::string& name, const RawValue& value) {
    Reading reading = read_list(name, value);
    out_.add(reading);
    return {name, std::move(reading.texts), value.origin};
  }

  void refuse_several_devices() {
    if (out_.common.at("device").text.find(',') == std::string::npos) return;
    out_.problems.push_back(
        problem_of(out_.common, "device", "a sweep computes on one device",
                   "make one sweep for each, and compare them with `scalemark compare`"));
    out_.common.erase("device");
  }

  void take_world_sizes(const std::vector<FieldValue>& values, const std::string& origin) {
    std::vector<int>& sizes = out_.sweep.world_sizes;
    for (const FieldValue& value : values) {
      const auto* size = std::get_if<std::int64_t>(&value);
      if (size) sizes.push_back(static_cast<int>(*size));
    }
    const bool has_all = sizes.size() < values.size();
    if (has_all && values.size() > 1) {
      sizes.clear();
      out_.problems.push_back({"world_sizes", "all", "stands alone, or numbers do", origin, ""});
      return;
    }
    out_.sweep.all_ranks = has_all;
    std::ranges::sort(sizes);
    std::vector<std::string> texts;
    for (const int size : sizes) texts.push_back(std::to_string(size));
    out_.own["world_sizes"] = {has_all ? "all" : joined(texts, ","), origin};
  }

  // Axes keep the order of the table.
  void add_axis(Axis axis) {
    const auto place = [](const Axis& one) { return find_option(one.option); };
    out_.axes.push_back(std::move(axis));
    std::ranges::stable_sort(out_.axes, {}, place);
  }

  void read_tune() {
    if (out_.sweep.tune.empty()) return;
    const Option& option = tuned_option(out_.sweep.tune);
    const bool is_variable = is_variable_key(out_.sweep.tune);
    const std::string name = is_variable ? out_.sweep.tune : std::string(option.name);
    const std::string origin = out_.own["tune"].origin;
    out_.own["tune"].text = out_.sweep.tune = name;
    const auto given = std::ranges::find(out_.axes, name, &Axis::option);
    if (given_.contains(name)) {
      if (given == out_.axes.end() || given->values.size() > 1) return;
      out_.problems.push_back({"tune", name, "needs several values to choose from", origin,
                               "give " + option_flag(name) + " a list, or leave it out"});
      return;
    }
    const std::string values = default_tune_values(option);
    if (!values.empty()) return add_axis(read_axis(name, {values, "tune"}));
    out_.problems.push_back({"tune", name, "needs a list: no values fit every machine", origin,
                             "add " + option_flag(name) + (is_variable ? "=LIST" : " LIST")});
  }

  void refuse_contradictions() {
    constexpr std::pair<const char*, const char*> kExclusive[] = {
        {"quick", "thorough"}, {"quick", "burn_in"}, {"thorough", "burn_in"}, {"quick", "until_ci"},
        {"tune", "burn_in"},   {"tune", "until_ci"}, {"burn_in", "max_time"}};
    for (const auto& [one, other] : kExclusive) {
      if (is_asked(one) && is_asked(other)) refuse_with(one, other);
    }
    const char* resume = is_asked("resume") ? "resume" : "resume_anyway";
    if (!is_asked(resume)) return;
    if (is_on(out_.common, "overwrite")) refuse_with(resume, "overwrite");
    const auto output = out_.common.find("output");
    const bool always_new =
        output == out_.common.end() || output->second.text.find("{date}") != std::string::npos;
    if (!always_new) return;
    out_.problems.push_back({resume, "on",
                             "needs an --output that stays the same from one start to the next: "
                             "without it, and with {date}, each start has a new folder",
                             out_.own[resume].origin, "name the folder with --output DIR"});
  }

  // Whether the sweep has a value of the option that is not "off".
  bool is_asked(const char* name) const {
    const FieldValue value = field_of<SweepSettings>(*find_option(name)).get(out_.sweep);
    const bool* flag = std::get_if<bool>(&value);
    return flag ? *flag : !std::holds_alternative<std::monostate>(value);
  }

  void refuse_with(const char* name, const char* other) {
    out_.problems.push_back(
        problem_of(out_.own, name, "cannot be combined with " + option_flag(other)));
  }

  const RawSettings& given_;
  SweepRequest out_;
};

}  // namespace

SweepRequest read_sweep(const RawSettings& given) { return SweepReader(given).run(); }

bool asks_for(const std::string& checks, Check check) {
  return ("," + checks + ",").find("," + std::string(name_of(check)) + ",") != std::string::npos;
}

}  // namespace scalemark::settings
