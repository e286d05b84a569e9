// The raw values of a sweep, sorted into axes, what all points share, and the sweep's own options.
#include <algorithm>

#include "core/settings/axes.h"
#include "core/settings/defaults.h"
#include "core/settings/read_fields.h"
#include "core/settings/tool_values.h"
#include "core/settings/tuning.h"
#include "core/settings/value.h"
#include "core/settings/variables.h"

namespace scalemark::settings {
namespace {

// `train` has --resume, too.
bool is_of_sweep(const Option& option) {
  return option.group == Group::kSweeping || option.name == "resume";
}

class SweepReader {
 public:
  explicit SweepReader(const RawSettings& given) : given_(given) {}

  SweepRequest run() {
    for (const Option& option : all_options()) sort_in(option);
    for (const auto& [name, value] : given_) {
      if (!is_variable_key(name)) continue;
      out_.axes.push_back({name, checked(name, expand_variable(value.text), value), value.origin});
    }
    for (const auto& [name, value] : default_values(kSweep)) {
      if (is_of_sweep(*find_option(name))) out_.own.try_emplace(name, value);
    }
    for (Problem& problem : bad_values(out_.own)) {
      out_.own.erase(problem.option);
      out_.problems.push_back(std::move(problem));
    }
    read_own();
    read_tune();
    refuse_contradictions();
    return std::move(out_);
  }

 private:
  void sort_in(const Option& option) {
    const auto found = given_.find(option.name);
    if (found == given_.end()) return;
    const std::string name(option.name);
    if (!is_axis(option)) {
      (is_of_sweep(option) ? out_.own : out_.common)[name] = found->second;
      if (name == "device") refuse_several_devices();
      return;
    }
    Axis axis{name, expand(option, found->second), found->second.origin};
    if (axis.values.empty()) return;  // a problem by now
    if (name == "world_sizes") {
      read_world_sizes(axis);
    } else {
      out_.axes.push_back(std::move(axis));
    }
  }

  void refuse_several_devices() {
    const RawValue device = out_.common.at("device");
    if (device.text.find(',') == std::string::npos) return;
    out_.problems.push_back({"device", device.text, "a sweep computes on one device", device.origin,
                             "make one sweep for each, and compare them with "
                             "`scalemark compare`"});
    out_.common.erase("device");
  }

  std::vector<std::string> expand(const Option& option, const RawValue& value) {
    return checked(std::string(option.name), expand_list(option, value.text), value);
  }

  // The good values; the others are problems then.
  std::vector<std::string> checked(const std::string& name, ValueList list, const RawValue& value) {
    for (BadElement& bad : list.bad) {
      out_.problems.push_back(
          {name, std::move(bad.found), std::move(bad.allowed), value.origin, std::move(bad.hint)});
    }
    for (const std::string& twice : list.twice) {
      out_.notes.push_back(option_flag(name) + " names " + twice +
                           " more than once; it is measured once per block");
    }
    return std::move(list.values);
  }

  void read_world_sizes(const Axis& axis) {
    if (axis.values == std::vector<std::string>{"all"}) {
      out_.sweep.all_ranks = true;
      world_sizes_ = {"all", axis.origin};
      return;
    }
    for (const std::string& value : axis.values) {
      if (value == "all") return refuse_all_among_others(axis);
      out_.sweep.world_sizes.push_back(static_cast<int>(*parse_count(value)));
    }
    std::ranges::sort(out_.sweep.world_sizes);
    std::string text;
    for (const int size : out_.sweep.world_sizes) {
      text += (text.empty() ? "" : ",") + std::to_string(size);
    }
    world_sizes_ = {text, axis.origin};
  }

  void refuse_all_among_others(const Axis& axis) {
    out_.sweep.world_sizes.clear();
    out_.problems.push_back({"world_sizes", "all", "stands alone, or numbers do", axis.origin, ""});
  }

  void read_own() {
    read_fields(out_.own, out_.sweep);
    if (!world_sizes_.text.empty()) out_.own["world_sizes"] = world_sizes_;
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
    if (!values.empty()) return add_axis({name, expand(option, {values, "tune"}), "tune"});
    out_.problems.push_back({"tune", name, "needs a list: no values fit every machine", origin,
                             "add " + option_flag(name) + (is_variable ? "=LIST" : " LIST")});
  }

  void refuse_contradictions() {
    const SweepSettings& sweep = out_.sweep;
    refuse_both(sweep.quick, "quick", sweep.thorough, "thorough");
    refuse_both(sweep.quick, "quick", sweep.burn_in_hours.has_value(), "burn_in");
    refuse_both(sweep.thorough, "thorough", sweep.burn_in_hours.has_value(), "burn_in");
    refuse_both(sweep.quick, "quick", sweep.until_ci.has_value(), "until_ci");
    refuse_both(!sweep.tune.empty(), "tune", sweep.burn_in_hours.has_value(), "burn_in");
    refuse_both(!sweep.tune.empty(), "tune", sweep.until_ci.has_value(), "until_ci");
    refuse_both(sweep.burn_in_hours.has_value(), "burn_in", sweep.max_time_s.has_value(),
                "max_time");
    const auto overwrite = out_.common.find("overwrite");
    const bool overwrites =
        overwrite != out_.common.end() && parse_switch(overwrite->second.text).value_or(false);
    const char* resume = sweep.resume ? "resume" : "resume_anyway";
    refuse_both(sweep.resume || sweep.resume_anyway, resume, overwrites, "overwrite");
    const auto output = out_.common.find("output");
    const bool always_new =
        output == out_.common.end() || output->second.text.find("{date}") != std::string::npos;
    if ((sweep.resume || sweep.resume_anyway) && always_new) {
      out_.problems.push_back({resume, "on",
                               "needs an --output that stays the same from one start "
                               "to the next: without it, and with {date}, each start "
                               "has a new folder",
                               out_.own[resume].origin, "name the folder with --output DIR"});
    }
  }

  void refuse_both(bool one, const char* name, bool other, const char* other_name) {
    if (!one || !other) return;
    const RawValue value = out_.own[name];
    out_.problems.push_back(
        {name, value.text, "cannot be combined with " + option_flag(other_name), value.origin, ""});
  }

  const RawSettings& given_;
  RawValue world_sizes_;
  SweepRequest out_;
};

}  // namespace

SweepRequest read_sweep(const RawSettings& given) { return SweepReader(given).run(); }

bool asks_for(const std::string& checks, Check check) {
  return ("," + checks + ",").find("," + std::string(name_of(check)) + ",") != std::string::npos;
}

}  // namespace scalemark::settings
