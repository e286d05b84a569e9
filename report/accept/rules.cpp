#include "report/accept/rules.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ranges>
#include <set>

#include "core/base/error.h"
#include "core/base/strict_json.h"
#include "core/base/text.h"
#include "core/settings/config_file.h"

namespace scalemark::acceptance {
namespace {

using Json = nlohmann::json;

constexpr const char* kHint = "docs/ACCEPTANCE.md, \"Rules\", shows a file of rules";
constexpr std::size_t kMostRepetitions = 1000;

// Lists the keys of `where`: values of points, and of measurements of a machine by itself.
std::vector<std::string_view> selectors_of(const MetricDefinition& definition) {
  switch (definition.id) {
    case Metric::kDeviceRate:
      return {"workload", "precision"};
    case Metric::kNodeRate:
    case Metric::kOwnRate:
    case Metric::kScalingEfficiency:
    case Metric::kMfu:
      return {"workload", "precision", "strategy"};
    case Metric::kMatrixProduct:
      return {"precision"};
    default:
      return {};
  }
}

const MetricDefinition& metric_named(const Json& name, const std::string& where,
                                     const JsonSource& source) {
  const auto found = std::ranges::find_if(kMetrics, [&](const MetricDefinition& definition) {
    return name.is_string() && name == definition.name;
  });
  if (found != kMetrics.end()) return *found;
  for (const auto& [finding, metric] :
       {std::pair("straggler", Metric::kOwnRate), std::pair("slow_node", Metric::kNodeBandwidth),
        std::pair("slow_link", Metric::kLinkBandwidth)}) {
    if (name == finding)
      throw configuration(
          where + ": \"" + finding + "\" is a finding, which informs and fails nobody",
          std::string(definition_of(metric).name) + " judges the values behind it", source.hint);
  }
  const auto known = std::views::transform(kMetrics, &MetricDefinition::name);
  throw configuration(where + ": " + name.dump() + " is no metric",
                      joined(known, ", ") + " are known", source.hint);
}

double share_of(const Json& value, const std::string& where, const JsonSource& source) {
  const bool fits = value.is_number() && value > 0.0 && value <= 1.0;
  if (fits) return value.get<double>();
  throw configuration(where + ": share is " + value.dump(),
                      "a number above 0 and at most 1, or \"tolerance\"", source.hint);
}

// Reads "25 GB/s" or "400 TFLOP/s", and returns it in the unit of the metric.
double number_with_unit(const Json& value, const MetricDefinition& definition,
                        const std::string& where, const JsonSource& source) {
  constexpr std::string_view kPrefixes = "kMGT";
  const std::string text = value.is_string() ? value.get<std::string>() : "";
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  if (error == std::errc() && std::isfinite(number) && number > 0) {
    if (unit == definition.unit) return number;
    const auto prefix = unit.empty() ? std::string_view::npos : kPrefixes.find(unit.front());
    if (prefix != std::string_view::npos && unit.substr(1) == definition.unit) {
      return number * std::pow(1000.0, static_cast<double>(prefix) + 1);
    }
  }
  throw configuration(where + " is " + value.dump(),
                      "a number above 0 with its unit: \"25 " + std::string(definition.unit) + "\"",
                      source.hint);
}

// Lists what the limit of a metric may be a share of.
std::vector<LimitOf> shares_of(Metric metric) {
  switch (metric) {
    case Metric::kMatrixProduct:
    case Metric::kMemoryCopy:
      return {LimitOf::kReference, LimitOf::kDatasheet};
    case Metric::kHostToDevice:
    case Metric::kDeviceToHost:
      return {LimitOf::kReference, LimitOf::kPcie};
    case Metric::kNodeAllReduce:
    case Metric::kNodeAllToAll:
      return {LimitOf::kReference, LimitOf::kNvlink, LimitOf::kPcie};
    case Metric::kSustainedProduct:
      return {LimitOf::kReference, LimitOf::kBurst};
    case Metric::kLinkBandwidth:
      return {LimitOf::kReference, LimitOf::kRdma, LimitOf::kSockets};
    case Metric::kFleetAllReduce:
      return {LimitOf::kExpected};
    default:
      return {LimitOf::kReference};
  }
}

void read_at_least(Rule& rule, const Json& value, double tolerance, const std::string& where,
                   const JsonSource& source) {
  const MetricDefinition& definition = definition_of(rule.metric);
  if (!value.is_object()) {
    rule.limit = number_with_unit(value, definition, where + ", at_least", source);
    return;
  }
  refuse_other_keys(value, {"share", "of"}, where + ", at_least", source);
  const Json of = value.value("of", Json());
  const std::vector<LimitOf> allowed = shares_of(rule.metric);
  const auto found = std::ranges::find_if(
      allowed, [&](LimitOf one) { return of.is_string() && of == name_of(one); });
  if (found == allowed.end()) {
    std::vector<std::string> names;
    for (const LimitOf one : allowed) names.emplace_back(name_of(one));
    throw configuration(where + ": of is " + of.dump(), joined(names, " or "), source.hint);
  }
  rule.of = *found;
  const Json share = value.value("share", Json());
  rule.limit = share == "tolerance" ? 1 - tolerance : share_of(share, where, source);
  if (rule.of == LimitOf::kReference && rule.limit >= 1) {
    throw configuration(where + ": share is " + share.dump(), "less than 1 of a reference",
                        source.hint);
  }
}

void read_count(Rule& rule, const Json& value, const std::string& where, const JsonSource& source) {
  if (!value.is_number_integer() || value < 0)
    throw configuration(
        where + ": " + std::string(name_of(rule.comparison)) + " is " + value.dump(),
        "a whole number from 0 on", source.hint);
  rule.limit = value.get<double>();
}

// The limit of a counter of seconds is {"share": 0.01, "of": "session"}.
void read_share_of_session(Rule& rule, const Json& value, const std::string& where,
                           const JsonSource& source) {
  if (!value.is_object()) {
    throw configuration(where + ": grows_by_at_most is " + value.dump(),
                        "{\"share\": 0.01, \"of\": \"session\"}", source.hint);
  }
  refuse_other_keys(value, {"share", "of"}, where + ", grows_by_at_most", source);
  if (const Json of = value.value("of", Json()); of != "session") {
    throw configuration(where + ": of is " + of.dump(), "session", source.hint);
  }
  rule.of = LimitOf::kSession;
  rule.limit = share_of(value.value("share", Json()), where, source);
}

Comparison comparison_of(ValueKind kind) {
  if (kind == ValueKind::kCount || kind == ValueKind::kState) return Comparison::kAtMost;
  if (kind == ValueKind::kCounter) return Comparison::kGrowsByAtMost;
  return kind == ValueKind::kFact ? Comparison::kSameAsClass : Comparison::kAtLeast;
}

// Each metric is compared in one way; the key that says so must be there, and no other.
void read_limit(Rule& rule, const Json& check, double tolerance, const std::string& where,
                const JsonSource& source) {
  rule.comparison = comparison_of(definition_of(rule.metric).kind);
  const std::string expected(name_of(rule.comparison));
  for (const Word<Comparison>& word : words_of(Comparison())) {
    if (check.contains(word.name) == (word.value == rule.comparison)) continue;
    throw configuration(
        where + (check.contains(word.name) ? " has " + std::string(word.name) : " has no limit"),
        std::string(definition_of(rule.metric).name) + " is compared by " + expected, source.hint);
  }
  const Json& value = check[expected];
  if (rule.comparison == Comparison::kAtLeast) {
    read_at_least(rule, value, tolerance, where, source);
  } else if (rule.metric == Metric::kHeldBack) {
    read_share_of_session(rule, value, where, source);
  } else if (rule.comparison != Comparison::kSameAsClass) {
    read_count(rule, value, where, source);
  } else if (value != true) {
    throw configuration(where + ": same_as_class is " + value.dump(), "true", source.hint);
  }
}

void read_where(Rule& rule, const Json& check, const std::string& where, const JsonSource& source) {
  if (!check.contains("where")) return;
  const Json& selectors = check["where"];
  refuse_other_keys(selectors, selectors_of(definition_of(rule.metric)), where + ", where", source);
  for (const auto& [key, value] : selectors.items()) {
    if (!value.is_string()) {
      throw configuration(where + ": " + key + " is " + value.dump(), "a text", source.hint);
    }
    rule.where[key] = value.get<std::string>();
  }
}

Rule read_check(const Json& check, std::size_t number, double tolerance, const JsonSource& source) {
  std::string where = "'" + source.file + "', check " + std::to_string(number + 1);
  refuse_other_keys(
      check,
      {"name", "metric", "where", "at_least", "at_most", "grows_by_at_most", "same_as_class"},
      where, source);
  const Json name = check.value("name", Json());
  if (!name.is_string() || name.get<std::string>().empty()) {
    throw configuration(where + " has no name", "\"name\": \"training alone\"", source.hint);
  }
  where += " (" + name.get<std::string>() + ")";
  Rule rule{.name = name.get<std::string>()};
  rule.metric = metric_named(check.value("metric", Json()), where, source).id;
  read_where(rule, check, where, source);
  read_limit(rule, check, tolerance, where, source);
  return rule;
}

std::vector<std::size_t> read_looks(const Json& looks, const std::string& where,
                                    const JsonSource& source) {
  std::vector<std::size_t> read;
  bool fits = looks.is_array() && !looks.empty();
  for (const Json& look : fits ? looks : Json::array()) {
    fits = look.is_number_unsigned() && look > (read.empty() ? 0 : read.back()) &&
           look <= kMostRepetitions;
    if (!fits) break;
    read.push_back(look.get<std::size_t>());
  }
  // One repetition shows no noise of its own, so a look at 1 stands alone.
  if (fits && (read.front() > 1 || read.size() == 1)) return read;
  throw configuration(where + ": looks is " + looks.dump(),
                      "[1], or numbers of repetitions from 2 on, ascending: [3, 5, 10]",
                      source.hint);
}

}  // namespace

Rules parse_rules(std::string_view text, const std::string& file) {
  const JsonSource source{file, kHint};
  const std::string where = "'" + file + "'";
  const Json json = parse_strictly(text, source);
  refuse_other_keys(json, {"about", "tolerance", "looks", "checks"}, where, source);
  Rules rules;
  if (const Json about = json.value("about", Json()); about.is_string()) rules.about = about;
  if (json.contains("tolerance")) {
    const Json& tolerance = json["tolerance"];
    if (!tolerance.is_number() || !(tolerance > 0.0) || !(tolerance < 1.0)) {
      throw configuration(where + ": tolerance is " + tolerance.dump(),
                          "a share above 0 and below 1: 0.05", source.hint);
    }
    rules.tolerance = tolerance.get<double>();
  }
  if (json.contains("looks")) rules.looks = read_looks(json["looks"], where, source);
  const Json checks = json.value("checks", Json());
  if (!checks.is_array() || checks.empty()) {
    throw configuration(where + " has no checks", "\"checks\": [{\"name\": ...}]", source.hint);
  }
  std::set<std::string> names;
  for (std::size_t i = 0; i < checks.size(); ++i) {
    rules.checks.push_back(read_check(checks[i], i, rules.tolerance, source));
    if (const std::string& name = rules.checks.back().name; !names.insert(name).second)
      throw configuration(where + " has two checks named '" + name + "'", {}, source.hint);
  }
  return rules;
}

Rules standard_rules() { return parse_rules(settings::builtin_config("standard"), "standard"); }

}  // namespace scalemark::acceptance
