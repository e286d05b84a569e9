// Writes and reads the document scalemark.baseline/1, and summarizes it for the person who made it.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/base/field.h"
#include "core/base/record_json.h"
#include "core/base/strict_json.h"
#include "core/base/text.h"
#include "core/statistics/acceptance_baseline.h"
#include "report/accept/baseline.h"

namespace scalemark::acceptance {

// docs/ACCEPTANCE.md, "With a baseline", has the table of these fields. See field.h.
template <class A>
constexpr void fields(A& a, typename A::template Field<BaselineSuspect>& s) {
  a.record("suspect", "A part of the baseline that its own fleet would fail");
  a("part", s.part, {"its name"});
  a.text("uuid", s.uuid, {"unique id of the GPU"});
  a("why", s.why, {"why it would fail"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<BaselineClass>& c) {
  a.record("class", "One metric of parts that may be compared with each other");
  a("metric", c.metric, {"as in rules"});
  a("class", c.of_class, {"product, and what was measured"});
  a("software", c.software, {"versions of libraries and driver"});
  a.choice("of", c.of, {"device | node: what its parts are"});
  a("machines", c.machines, {"on which the parts stand"});
  a("parts", c.parts, {"that were measured"});
  a("boots", c.boots, {"in which most of them were measured"});
  a("starts", c.starts, {"of all parts together that count"});
  a("reference", c.reference, {"what 30 % of the parts reach"});
  a("unit", c.unit, {"of reference"});
  a("standard_error", c.standard_error, {"of ln reference"});
  a("lifted_by", c.lifted_by, {"by so much noise may have lifted ln reference"});
  a("between_parts", c.between_parts, {"standard deviation of ln between parts"});
  a("between_starts", c.between_starts, {"the same between starts of one part within a boot"});
  a("between_boots", c.between_boots, {"the same between boots, beyond what starts explain"});
  a("assumed_between_boots", c.assumed_between_boots, {"counts instead: fewer than 2 boots"});
  a("smallest_decidable", c.smallest_decidable, {"share by which a part must be slower"});
  a.list("suspects", c.suspects, {"parts that the fleet itself would fail"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<Baseline>& b) {
  a.record("baseline", "What a fleet that is known to be good reaches");
  a.constant("schema", "scalemark.baseline/1", {"of this document"});
  a.time("made", b.made, {"when"});
  a.list("classes", b.classes, {"what was measured"});
}

namespace {

constexpr const char* kHowMade = "`scalemark baseline make` writes such a file";
constexpr int kMostCounted = 1'000'000'000;

template <class T>
void refuse_unknown(const nlohmann::json& json, const std::string& where,
                    const JsonSource& source) {
  refuse_other_keys(json, RecordKeys::of<T>(), where, source);
}

// Calls `each` for the objects of the list under `key`, if there is one: its form is checked where
// it is read.
template <class Each>
void for_each_in(const nlohmann::json& json, const char* key, Each each) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_array()) return;
  for (const auto& element : *found) {
    if (element.is_object()) each(element);
  }
}

void refuse_unknown_keys(const nlohmann::json& json, const JsonSource& source) {
  const std::string where = "'" + source.file + "'";
  refuse_unknown<Baseline>(json, where, source);
  for_each_in(json, "classes", [&](const nlohmann::json& one) {
    refuse_unknown<BaselineClass>(one, where + ", classes", source);
    for_each_in(one, "suspects", [&](const nlohmann::json& suspect) {
      refuse_unknown<BaselineSuspect>(suspect, where + ", suspects", source);
    });
  });
}

bool is_share(const std::optional<double>& value) {
  return !value || (std::isfinite(*value) && *value >= 0 && *value < 10);
}

// Returns what cannot be true of the class; empty: nothing.
std::string wrong_in(const BaselineClass& one) {
  const auto definition = std::ranges::find(kMetrics, one.metric, &MetricDefinition::name);
  if (definition == kMetrics.end() || definition->kind != ValueKind::kRate) {
    return "has no rate '" + one.metric + "'";
  }
  if (one.of != definition->of || one.unit != definition->unit) {
    return "does not have " + std::string(definition->unit) + " of a " +
           std::string(name_of(definition->of));
  }
  for (const int count : {one.machines, one.parts, one.boots, one.starts}) {
    if (count < 1 || count > kMostCounted) return "has a count of " + std::to_string(count);
  }
  if (!(one.reference > 0) || !std::isfinite(std::log(one.reference))) {
    return "has a reference that is no rate";
  }
  const bool fits = is_share(one.standard_error) && is_share(one.lifted_by) &&
                    is_share(one.between_parts) && is_share(one.between_starts) &&
                    is_share(one.between_boots) && is_share(one.assumed_between_boots);
  return fits ? "" : "has a spread or an error that is below 0 or beyond any";
}

void check(const Baseline& baseline, const std::string& file) {
  const std::string name = "'" + file + "'";
  if (baseline.classes.empty()) throw bad_data(name + " holds no class", {}, kHowMade);
  std::set<std::tuple<std::string, std::string, std::string>> known;
  for (const BaselineClass& one : baseline.classes) {
    const std::string where = name + ", " + one.metric + " of " + one.of_class;
    if (const auto wrong = wrong_in(one); !wrong.empty()) {
      throw bad_data(where + ", " + wrong, {}, kHowMade);
    }
    if (!known.insert({one.metric, one.of_class, one.software}).second) {
      throw bad_data(where + " is there twice", {}, kHowMade);
    }
  }
}

}  // namespace

std::string baseline_json(const Baseline& baseline) {
  return dumped(as_json(baseline, "baseline"), 2) + "\n";
}

Baseline parse_baseline(std::string_view text, const std::string& file) {
  const JsonSource source{file, kHowMade};
  const std::string name = "'" + file + "'";
  if (nests_too_deep(text) || !FieldJson::accept(text)) {
    throw bad_data(name + " is no baseline: it is not JSON", {}, kHowMade);
  }
  const nlohmann::json json = parse_strictly(text, source);
  if (!json.is_object() || json.value("schema", nlohmann::json()) != "scalemark.baseline/1") {
    throw bad_data(name + " is no baseline", "\"schema\": \"scalemark.baseline/1\" is expected",
                   kHowMade);
  }
  refuse_unknown_keys(json, source);
  auto baseline = record_in<Baseline>(FieldJson(json), name.c_str());
  check(baseline, file);
  return baseline;
}

namespace {

constexpr std::size_t kMostSuspects = 2;

int most(const Baseline& baseline, int BaselineClass::*count) {
  return std::ranges::max(baseline.classes, {}, count).*count;
}

// Returns the most parts that one measurement has.
int parts_of(const Baseline& baseline, PartKind of) {
  int parts = 0;
  for (const BaselineClass& one : baseline.classes) {
    if (one.of == of) parts = std::max(parts, one.parts);
  }
  return parts;
}

// "0.3 to 0.7 %" of the classes that have the number; empty: none has.
template <class Number>
std::string range_text(const Baseline& baseline, Number number) {
  double least = 1e300, largest = -1;
  for (const BaselineClass& one : baseline.classes) {
    const std::optional<double> value = number(one);
    if (!value) continue;
    least = std::min(least, *value);
    largest = std::max(largest, *value);
  }
  if (largest < 0) return "";
  const std::string low = percent_text(least), high = percent_text(largest);
  return (low == high ? "" : low + " to ") + percent(largest);
}

void add(std::string& text, const std::string& line) { text += "  " + line + "\n"; }

void add_few_boots(const Baseline& baseline, std::string& text) {
  const auto assumed =
      range_text(baseline, [](const BaselineClass& one) { return one.assumed_between_boots; });
  if (assumed.empty()) return;
  text += "! weak: fewer than 2 boots, which are taken to differ by " + assumed +
          ": boot, measure again\n";
}

void add_few_parts(const Baseline& baseline, std::string& text) {
  std::set<std::string> few;
  for (const BaselineClass& one : baseline.classes) {
    if (one.parts >= static_cast<int>(statistics::kPartsOfBaseline)) continue;
    few.insert(counted(one.parts, name_of(one.of)));
  }
  if (few.empty()) return;
  text += "! weak: fewer than 8 parts (" + listed(few, 4) +
          "), which are taken to differ by 1 % at least\n";
}

// Lists each part once, with the first reason.
void add_suspects(const Baseline& baseline, std::string& text) {
  std::map<std::string, std::pair<std::string, int>> reasons;
  for (const BaselineClass& one : baseline.classes) {
    for (const BaselineSuspect& suspect : one.suspects) {
      auto& [why, checks] = reasons[suspect.part];
      if (checks++ == 0) why = one.metric + ": " + suspect.why;
    }
  }
  if (reasons.empty()) return;
  std::vector<std::string> names;
  for (const auto& [part, reason] : reasons) {
    names.push_back(
        part + " (" + reason.first +
        (reason.second > 1 ? ", and " + std::to_string(reason.second - 1) + " more" : "") + ")");
  }
  text += "! suspects, listed and not dropped: " + listed(names, kMostSuspects) + "\n";
}

}  // namespace

bool is_weak(const Baseline& baseline) {
  return std::ranges::any_of(baseline.classes, [](const BaselineClass& one) {
    return one.assumed_between_boots || one.parts < static_cast<int>(statistics::kPartsOfBaseline);
  });
}

std::string baseline_summary(const Baseline& baseline) {
  const int devices = parts_of(baseline, PartKind::kDevice);
  std::string text = counted(most(baseline, &BaselineClass::machines), "machine") + ", ";
  if (devices > 0) text += counted(devices, "device") + ", ";
  text += counted(most(baseline, &BaselineClass::boots), "boot") + ": references of " +
          counted(baseline.classes.size(), "measurement") + "\n";
  add(text, "known to " + range_text(baseline, [](const BaselineClass& one) {
              return std::optional(one.standard_error);
            }) + " (standard error)");
  const std::string boots =
      range_text(baseline, [](const BaselineClass& one) { return one.between_boots; });
  if (!boots.empty()) add(text, "one part differs between boots by " + boots);
  const std::string decides =
      range_text(baseline, [](const BaselineClass& one) { return one.smallest_decidable; });
  add(text, decides.empty() ? "how slow a part must be to be found: not known from so few starts"
                            : "a fleet like this is judged to " + decides +
                                  ": what is slower by that is found (99 %)");
  add_few_boots(baseline, text);
  add_few_parts(baseline, text);
  if (is_weak(baseline)) text += "  so intervals are wide: healthy parts may stay undecided, too\n";
  add_suspects(baseline, text);
  return text;
}

}  // namespace scalemark::acceptance
