// The document scalemark.baseline/1, written and read.
#include <cmath>
#include <set>
#include <string_view>
#include <tuple>

#include "core/base/field.h"
#include "core/base/record_json.h"
#include "core/base/strict_json.h"
#include "core/reporting/acceptance/baseline.h"

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

// A list of objects under `key`, if there is one at all: its form is checked where it is read.
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

// "" where all is as it can be; else what is not.
std::string wrong_in(const BaselineClass& one) {
  const auto row = std::ranges::find(kMetrics, one.metric, &MetricRow::name);
  if (row == kMetrics.end() || row->kind != ValueKind::kRate) {
    return "has no rate '" + one.metric + "'";
  }
  if (one.of != row->of || one.unit != row->unit) {
    return "does not have " + std::string(row->unit) + " of a " + std::string(name_of(row->of));
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
  return as_json(baseline, "baseline").dump(2, ' ', false, FieldJson::error_handler_t::replace) +
         "\n";
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

}  // namespace scalemark::acceptance
