#include "report/say/table/parts.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "core/base/text.h"
#include "core/catalogue/strategy.h"
#include "report/judge/judge.h"
#include "report/record/point_facts.h"
#include "report/record/report_json.h"
#include "report/record/surety.h"
#include "report/record/verdict.h"

namespace scalemark::reporting {
namespace {

// The settings that must agree for a comparison to have a meaning. METRICS.md, "threads", explains
// why threads is among them.
auto settings_of(const PointRecord& p) {
  return std::tuple_cat(
      std::tie(p.workload, p.task, p.device, p.device_name, p.precision, p.memory_format, p.threads,
               p.image_size, p.sequence_length, p.data),
      std::tuple(p.activation_checkpointing.value_or(false), p.stochastic_depth.value_or(0),
                 p.fused_layers.value_or(false), p.cuda_graphs.value_or(false)));
}

bool is_weak(const PointRecord& point, const PointRecord& one) {
  return one.batch_size == point.batch_size &&
         one.gradient_accumulation_steps == point.gradient_accumulation_steps;
}

std::string machine_of(const PointRecord& point, std::span<const PlacedPoint> points) {
  const auto found = std::ranges::find(points, &point, &PlacedPoint::point);
  return found == points.end() ? std::string() : found->machine;
}

// Returns how good a baseline `one` is for `point`, or nothing where it is none.
std::optional<int> rank_of(const PointRecord& one, const PointRecord& point) {
  if (one.status != PointStatus::kOk || one.world_size != 1) return std::nullopt;
  if (settings_of(one) != settings_of(point)) return std::nullopt;
  const bool weak = is_weak(point, one);
  if (!weak && one.global_batch_size != point.global_batch_size) return std::nullopt;
  return (weak ? 2 : 0) + (catalogue::exchanges(one.strategy) ? 0 : 1);
}

double mean_rate(const std::vector<const PointRecord*>& points) {
  double sum = 0;
  for (const PointRecord* point : points) sum += std::log(point->samples_per_sec);
  return std::exp(sum / static_cast<double>(points.size()));
}

// Bounds the uncertainty of the ratio of `point` to the mean of `baselines`.
std::optional<double> uncertainty(const PointRecord& point,
                                  const std::vector<const PointRecord*>& baselines) {
  if (std::ranges::count(baselines, &point)) return std::nullopt;
  const auto own = within_run_share(point);
  double squares = 0;
  for (const PointRecord* one : baselines) {
    const auto share = within_run_share(*one);
    if (!share || !own) return std::nullopt;
    squares += *share * *share;
  }
  const auto count = static_cast<double>(baselines.size());
  const double of_point = own.value_or(0);
  return std::sqrt(of_point * of_point + squares / (count * count));
}

bool any_unsteady(const PointRecord& point, const std::vector<const PointRecord*>& baselines) {
  if (baselines.size() == 1 && baselines.front() == &point) return false;
  return point.steady == false || std::ranges::any_of(baselines, [](const PointRecord* one) {
           return one->steady == false;
         });
}

// A ratio is concluded from its two sides. The ratio of a point to itself is exact.
Standing standing_of(const PointRecord& point, const std::vector<const PointRecord*>& baselines) {
  if (baselines.size() == 1 && baselines.front() == &point) return {};
  const PointRecord* disturbed = is_disturbed(point.standing) ? &point : nullptr;
  for (const PointRecord* one : baselines) {
    if (!disturbed && is_disturbed(one->standing)) disturbed = one;
  }
  if (!disturbed) return {};
  return {.level = kWithheld, .reason = disturbed->standing.reason};
}

}  // namespace

PlacedPoint placed(const Report& report, const PointRecord& point) {
  if (point.device != "cpu") return {&point, ""};
  std::set<std::string> machines;
  for (const RankRecord& rank : point.ranks) {
    const monitoring::Host* host = find_host(report.environment.hosts, rank.host);
    machines.insert(host && !host->cpu.empty() ? host->cpu : rank.host);
  }
  return {&point, joined(machines, ", ")};
}

std::optional<SpeedUp> speed_up(const PointRecord& point, std::span<const PlacedPoint> points) {
  if (point.status != PointStatus::kOk) return std::nullopt;
  const std::string machine = machine_of(point, points);
  std::vector<const PointRecord*> best;
  int best_rank = -1;
  for (const PlacedPoint& one : points) {
    const auto rank = rank_of(*one.point, point);
    if (!rank || *rank < best_rank || one.machine != machine) continue;
    if (*rank > best_rank) best.clear();
    best.push_back(one.point);
    best_rank = *rank;
  }
  if (best.empty()) return std::nullopt;
  Standing standing = standing_of(point, best);
  std::optional<double> speedup;
  if (!standing.is_withheld()) speedup = point.samples_per_sec / mean_rate(best);
  return SpeedUp{.baselines = best,
                 .speedup = speedup,
                 .efficiency = speedup ? std::optional(*speedup / point.world_size) : std::nullopt,
                 .standing = std::move(standing),
                 .strong = best_rank < 2,
                 .unsteady = any_unsteady(point, best),
                 .at_least = uncertainty(point, best)};
}

namespace {

std::string number_of(const std::vector<Row>& rows, const Report& report, const std::string& id) {
  for (const auto& row : rows) {
    if (row.report == &report && row.point->id == id) return row.number;
  }
  return "";
}

std::string names_of(const std::vector<const PointRecord*>& baselines,
                     const std::vector<Row>& rows) {
  std::string names;
  for (const auto& row : rows) {
    if (std::find(baselines.begin(), baselines.end(), row.point) == baselines.end()) continue;
    names +=
        (names.empty() ? "" : ", ") + row.number + " (" + strategy_text(row.point->strategy) + ")";
  }
  return names;
}

}  // namespace

std::vector<std::string> baseline_notes(const std::vector<Row>& rows) {
  const auto points = points_of(rows);
  std::vector<const PointRecord*> baselines;
  std::string strong, combined, unsteady;
  for (const auto& row : rows) {
    const auto found = speed_up(*row.point, points);
    if (!found) continue;
    baselines.insert(baselines.end(), found->baselines.begin(), found->baselines.end());
    if (found->baselines.size() > 1) combined += (combined.empty() ? "" : ", ") + row.number;
    if (found->unsteady) unsteady += (unsteady.empty() ? "" : ", ") + row.number;
    if (found->strong) strong += (strong.empty() ? "" : ", ") + row.number;
  }
  std::vector<std::string> notes;
  if (baselines.empty()) {
    notes.push_back("no speed-up: no report holds a 1-rank point of the same settings");
    return notes;
  }
  notes.push_back("speed-up and efficiency against row " + names_of(baselines, rows) +
                  ": one run each, so +- holds what steps within the runs show, and runs differ by "
                  "more");
  if (!combined.empty()) {
    notes.push_back("row " + combined +
                    ": several baselines of the same settings count together (geometric mean)");
  }
  if (!unsteady.empty()) {
    notes.push_back("row " + unsteady + ": ~ of a window that was not steady: two digits");
  }
  if (!strong.empty()) notes.push_back("row " + strong + ": strong scaling, same global batch");
  return notes;
}

std::vector<std::string> finding_notes(std::span<const Report> reports,
                                       const std::vector<Row>& rows) {
  std::vector<std::pair<std::string, std::string>> order;  // text, and the rows that it is about
  for (const auto& report : reports) {
    for (const auto& finding : report.findings) {
      const std::string text =
          finding.severity == "info" ? finding.text : finding.severity + ": " + finding.text;
      const std::string row = number_of(rows, report, finding.point);
      auto known = std::ranges::find(order, text, &std::pair<std::string, std::string>::first);
      if (known == order.end()) known = order.insert(order.end(), {text, ""});
      if (!row.empty()) known->second += (known->second.empty() ? "" : ", ") + row;
    }
  }
  std::vector<std::string> notes;
  for (const auto& [text, numbers] : order) {
    notes.push_back(numbers.empty() ? text : "row " + numbers + ": " + text);
  }
  return notes;
}

std::vector<std::string> status_notes(std::span<const Report> reports,
                                      const std::vector<Row>& rows) {
  std::vector<std::string> notes;
  for (const auto& row : rows) {
    if (row.point->status == PointStatus::kOk) continue;
    notes.push_back("row " + row.number + ": " + std::string(name_of(row.point->status)) +
                    (row.point->reason.empty() ? "" : ", " + row.point->reason));
  }
  for (const auto& report : reports) {
    if (report.status == ReportStatus::kComplete) continue;
    notes.push_back("report of " + report.started + " is " + std::string(name_of(report.status)) +
                    (report.exit_code ? " (exit " + std::to_string(*report.exit_code) + ")" : ""));
  }
  for (const auto& report : reports) {
    const auto& verdict = report.verdict;
    const VerdictReason* change = verdict ? rejudged_reason(*verdict) : nullptr;
    if (change) notes.push_back(change->text);
    if (verdict && verdict->level != VerdictLevel::kQuotable) {
      notes.push_back(quoting_in_words(report));
    }
  }
  for (const auto& report : reports) {
    for (const auto& error : report.errors) notes.push_back(format_error_line(error));
  }
  return notes;
}

}  // namespace scalemark::reporting
