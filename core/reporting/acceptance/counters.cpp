// Counters of errors (health[]): what they grew by while a part was measured, and states that a
// driver keeps.
#include "core/reporting/acceptance/counters.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/base/text.h"
#include "core/reporting/acceptance/inventory.h"
#include "core/reporting/record/health.h"

namespace scalemark::acceptance {
namespace {

using reporting::HealthFigure;

constexpr const char* kNoSeconds = "how long its session was is not known";
constexpr const char* kNeverAgain = "its run ended before the counters were read again";

Part part_of(const reporting::Report& report, PartKind of, const HealthFigure& figure) {
  return of == PartKind::kDevice ? gpu_part(report, figure.host, figure.device, figure.uuid)
                                 : node_part(report, figure.host);
}

// Several ports are figures of one node.
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

// By their names; others are ports and memory controllers.
bool is_gpu(const std::string& device) {
  return device.starts_with("cuda:") || device.starts_with("gpu:");
}

// Hosts that have parts of that kind. A GPU that only CUDA sees is in no list of GPUs.
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
  const ValueKind kind = row_of(rule.metric).kind;
  return kind == ValueKind::kCounter || kind == ValueKind::kState;
}

std::vector<Series> read_counters(Metric metric, std::span<const NamedReport> reports) {
  const MetricRow& row = row_of(metric);
  std::vector<Series> all;
  std::map<std::string, std::size_t> places;
  for (const NamedReport& one : reports) {
    std::map<std::pair<std::size_t, int>, std::size_t> starts;  // of a part, by session
    for (const HealthFigure& figure : health_figures(row.name, one.report.health)) {
      Part part = part_of(one.report, row.of, figure);
      const std::size_t place = places.try_emplace(part.key(), all.size()).first->second;
      if (place == all.size()) all.emplace_back().part = std::move(part);
      Series& series = all[place];
      const auto [start, is_new] =
          starts.try_emplace({place, figure.session}, series.starts.size());
      if (is_new) series.starts.emplace_back();
      add_figure(series.starts[start->second], figure, row.of);
    }
  }
  return all;
}

Judged judge_counters(const Rule& rule, const std::vector<Series>& all) {
  const bool is_state = row_of(rule.metric).kind == ValueKind::kState;
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
    for (const auto& row : one.report.health) {
      if (of != PartKind::kDevice || is_gpu(row.device)) watched.insert(row.host);
    }
    add_hosts(of, one.report, hosts);
  }
  if (watched.empty()) return {};
  for (const std::string& host : watched) hosts.erase(host);
  return hosts;
}

}  // namespace scalemark::acceptance
