#include "report/accept/single_values.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "core/base/number_words.h"
#include "core/base/text.h"
#include "core/statistics/acceptance.h"
#include "report/accept/acceptance.h"
#include "report/accept/inventory.h"
#include "report/record/health_figures.h"
#include "report/say/table/table.h"

namespace scalemark::acceptance {
namespace {

constexpr std::size_t kPartsToCompare = 3;  // between two that differ, neither is the odd one

// Returns the value that 30 % of the parts with a value reach.
std::optional<double> reference_of(const std::vector<const Series*>& members) {
  std::vector<double> values;
  for (const Series* series : members) {
    const double value = series->starts.back().value;
    if (std::isfinite(value)) values.push_back(value);
  }
  if (values.size() < kPartsToCompare) return std::nullopt;
  return statistics::kth_highest(values);
}

// "36.00 GB/s (35.00 to 37.00)"
std::string value_text(const Start& one, const std::string& unit) {
  const std::string value = rate_text(one.value, unit);
  if (!one.low || !one.high) return value;
  return value + " (" + rate_range(*one.low, *one.high, one.value, unit) + ")";
}

void judge_value(CheckResult& result, const Start& one, double limit) {
  const bool below = one.value < limit;
  const bool surely = below ? one.high && *one.high < limit : !one.low || *one.low >= limit;
  if (below && surely) result.outcome = Outcome::kFailed;
  if (!surely) result.outcome = Outcome::kUnsure;
  if (result.outcome == Outcome::kPassed) return;
  result.why = value_text(one, result.unit);
  if (!one.fact.empty()) result.why = one.fact + ": " + result.why;
  if (one.burst) {
    result.why =
        "holds " + percent(one.value / *one.burst, 0) + " of its first seconds: " + result.why;
  }
  if (!surely) result.why += ", too near the limit to tell";
}

// A count above the limit fails, whatever else is not known.
void judge_count(CheckResult& result, std::span<const Start> starts) {
  double sum = 0;
  std::string blamed;
  const Start *missing = nullptr, *unsure = nullptr;
  for (const Start& start : starts) {
    if (std::isfinite(start.value)) {
      sum += start.value;
      if (start.value > 0) blamed = start.fact;
    } else {
      (start.why.empty() ? unsure : missing) = &start;
    }
  }
  if (sum > *result.limit) {
    result.conclude(Outcome::kFailed, blamed);
  } else if (missing != nullptr) {
    result.conclude(Outcome::kMissing, missing->why);
  } else if (unsure != nullptr) {
    result.conclude(Outcome::kUnsure, unsure->fact);
  }
  if (result.outcome == Outcome::kFailed || (missing == nullptr && unsure == nullptr)) {
    result.value = sum;
  }
}

// Returns the value that the limit is a share of; absent: there is nothing to compare with.
std::optional<double> compared_with(const Rule& rule, const Series& series,
                                    const std::optional<double>& reference) {
  if (is_of_physics(rule.of)) return series.at_most.at(rule.of).per_sec;
  return rule.of == LimitOf::kBurst ? series.starts.back().burst : reference;
}

// Names what has no figure to be held against; empty: notes tell it.
std::string why_without_most(const Series& series) {
  // Notes tell their shares.
  if (series.at_most.contains(LimitOf::kSockets) || series.part.kind == PartKind::kFleet) return "";
  return kLinksOfUnknownPorts;
}

// `why`: why the fact is not known; may be empty.
void judge_fact(CheckResult& result, const std::string& common, std::size_t parts,
                const std::string& why) {
  result.limit_from = common;
  if (result.fact.empty()) {
    const std::string unknown = why.empty() ? "not known" : "not known (" + why + ")";
    result.conclude(Outcome::kUnsure, common.empty() ? unknown + ", and the others differ"
                                                     : unknown + "; the others have " + common);
  } else if (common.empty()) {
    result.conclude(Outcome::kUnsure,
                    result.fact + ": they differ, and no value is that of more than half");
  } else if (result.fact != common) {
    result.conclude(parts < kPartsToCompare ? Outcome::kUnsure : Outcome::kFailed,
                    result.fact + "; the others have " + common);
  }
}

// Returns the fact that more than half of the members with a known fact have; empty: none.
std::string common_fact(const std::vector<const Series*>& members) {
  std::map<std::string, std::size_t> counts;
  std::size_t known = 0;
  for (const Series* series : members) {
    const std::string& fact = series->starts.back().fact;
    if (fact.empty()) continue;
    ++counts[fact];
    ++known;
  }
  for (const auto& [fact, count] : counts) {
    if (2 * count > known) return fact;
  }
  return "";
}

}  // namespace

Judged judge_single(const Rule& rule, const std::vector<Series>& all) {
  Judged judged;
  const std::string parts = std::string(name_of(definition_of(rule.metric).of)) + "s";
  const std::string of_ten = std::to_string(statistics::kOfTenThatReach) + " of 10 ";
  const std::string share = percent(rule.limit, 0) + " of what ";
  for (const auto& members : by_class(all)) {
    const auto reference = reference_of(members);
    for (const Series* series : members) {
      const Start& one = series->starts.back();  // the last session counts
      if (is_of_physics(rule.of) && !series->at_most.contains(rule.of)) {
        if (const std::string why = why_without_most(*series); !why.empty())
          judged.without_most.insert(why);
        continue;
      }
      const auto compared = compared_with(rule, *series, reference);
      CheckResult result = result_like(rule, *series);
      if (!std::isfinite(one.value)) {
        result.conclude(Outcome::kMissing, one.why);
      } else if (rule.of != LimitOf::kNumber && !compared) {
        result.value = one.value;
        result.conclude(Outcome::kUnsure,
                        "nothing to compare it with" + (rule.of == LimitOf::kBurst
                                                            ? ": no product of the first seconds"
                                                            : ": fewer than 3 " + parts));
      } else {
        result.value = one.value;
        result.limit = rule.limit * compared.value_or(1);
        result.limit_from = rule.of == LimitOf::kNumber ? "the rules"
                            : is_of_physics(rule.of)    ? percent(rule.limit, 0) + " of the " +
                                                           series->at_most.at(rule.of).source
                            : rule.of == LimitOf::kBurst ? share + "it reached in the first seconds"
                                                         : share + of_ten + parts + " reach";
        if (rule.of == LimitOf::kReference) result.of_reference = one.value / *compared;
        judge_value(result, one, *result.limit);
      }
      judged.results.push_back(std::move(result));
    }
  }
  return judged;
}

Judged judge_counts(const Rule& rule, const std::vector<Series>& all) {
  Judged judged;
  for (const Series& series : all) {
    CheckResult result = result_like(rule, series);
    result.limit = rule.limit;
    result.limit_from = "the rules";
    judge_count(result, series.starts);
    judged.results.push_back(std::move(result));
  }
  return judged;
}

Judged judge_facts(const Rule& rule, const std::vector<Series>& all) {
  Judged judged;
  for (const auto& members : by_class(all)) {
    const auto is_known = [](const Series* one) { return !one->starts.back().fact.empty(); };
    if (std::ranges::none_of(members, is_known)) continue;  // cards without NVLinks have none
    const std::string common = common_fact(members);
    for (const Series* series : members) {
      CheckResult result = result_like(rule, *series);
      result.fact = series->starts.back().fact;
      judge_fact(result, common, members.size(), series->starts.back().why);
      judged.results.push_back(std::move(result));
    }
  }
  return judged;
}

namespace {

using reporting::HealthFigure;

constexpr const char* kNoSeconds = "how long its session was is not known";
constexpr const char* kNeverAgain = "its run ended before the counters were read again";

Part part_of(const reporting::Report& report, PartKind of, const HealthFigure& figure) {
  return of == PartKind::kDevice ? gpu_part(report, figure.host, figure.device, figure.uuid)
                                 : node_part(report, figure.host);
}

// Adds a figure to its start; a node has a figure for each of its ports.
void add_figure(Start& start, const HealthFigure& figure, PartKind of) {
  if (!figure.value) {
    start.why = kNeverAgain;
    return;
  }
  start.value = (std::isfinite(start.value) ? start.value : 0) + *figure.value;
  start.seconds = std::max(start.seconds, figure.seconds);
  if (figure.text.empty()) return;
  start.fact += (start.fact.empty() ? "" : ", ") +
                (of == PartKind::kNode ? figure.device + ": " : "") + figure.text;
}

std::string texts_of(const std::vector<Start>& starts) {
  std::vector<std::string> texts;
  for (const Start& start : starts) {
    const bool is_new = std::ranges::find(texts, start.fact) == texts.end();
    if (!start.fact.empty() && is_new) texts.push_back(start.fact);
  }
  return listed(texts, 3);
}

// Whether the name is that of a GPU; other devices are ports and memory controllers.
bool is_gpu(const std::string& device) {
  return device.starts_with("cuda:") || device.starts_with("gpu:");
}

// Adds the hosts that have parts of kind `of`. A GPU that only CUDA sees is in no list of GPUs.
void add_hosts(PartKind of, const reporting::Report& report, std::set<std::string>& hosts) {
  for (const auto& host : report.environment.hosts) {
    if (of != PartKind::kDevice || !host.gpus.empty()) hosts.insert(host.hostname);
  }
  for (const auto& run : report.points) {
    for (const auto& rank : run.ranks) {
      if (is_gpu(rank.device)) hosts.insert(rank.host);
    }
  }
}

}  // namespace

bool is_of_health(const Rule& rule) {
  const ValueKind kind = definition_of(rule.metric).kind;
  return kind == ValueKind::kCounter || kind == ValueKind::kState;
}

std::vector<Series> read_counters(Metric metric, std::span<const NamedReport> reports) {
  const MetricDefinition& definition = definition_of(metric);
  std::vector<Series> all;
  std::map<std::string, std::size_t> places;
  for (const NamedReport& one : reports) {
    std::map<std::pair<std::size_t, int>, std::size_t> starts;  // part, session -> place of start
    for (const HealthFigure& figure : health_figures(definition.name, one.report.health)) {
      Part part = part_of(one.report, definition.of, figure);
      const std::size_t place = places.try_emplace(part.key(), all.size()).first->second;
      if (place == all.size()) all.emplace_back().part = std::move(part);
      Series& series = all[place];
      const auto [start, is_new] =
          starts.try_emplace({place, figure.session}, series.starts.size());
      if (is_new) series.starts.emplace_back();
      add_figure(series.starts[start->second], figure, definition.of);
    }
  }
  return all;
}

Judged judge_counters(const Rule& rule, const std::vector<Series>& all) {
  const bool is_state = definition_of(rule.metric).kind == ValueKind::kState;
  Judged judged;
  for (const Series& series : all) {
    CheckResult result = result_like(rule, series);
    std::vector<Start> known = series.starts;
    std::erase_if(known, [](const Start& start) { return !std::isfinite(start.value); });
    if (is_state && known.size() > 1) known.erase(known.begin(), known.end() - 1);
    double seconds = 0;
    for (const Start& start : known) {
      result.value = result.value.value_or(0) + start.value;
      seconds += start.seconds;
    }
    const bool of_no_time = result.value && rule.of == LimitOf::kSession && !(seconds > 0);
    if (of_no_time) result.value.reset();
    if (result.value && rule.of == LimitOf::kSession) *result.value /= seconds;
    result.limit = rule.limit;
    result.limit_from = rule.of == LimitOf::kSession ? "share of the session" : "the rules";
    if (of_no_time) {
      result.conclude(Outcome::kUnsure, kNoSeconds);
    } else if (!result.value) {
      result.conclude(Outcome::kMissing, kNeverAgain);
    } else if (*result.value > rule.limit) {
      result.conclude(Outcome::kFailed, texts_of(known));
    }
    judged.results.push_back(std::move(result));
  }
  return judged;
}

std::set<std::string> unwatched_hosts(PartKind of, std::span<const NamedReport> reports) {
  std::set<std::string> watched, hosts;
  for (const NamedReport& one : reports) {
    for (const auto& record : one.report.health) {
      if (of != PartKind::kDevice || is_gpu(record.device)) watched.insert(record.host);
    }
    add_hosts(of, one.report, hosts);
  }
  if (watched.empty()) return {};
  for (const std::string& host : watched) hosts.erase(host);
  return hosts;
}

}  // namespace scalemark::acceptance
