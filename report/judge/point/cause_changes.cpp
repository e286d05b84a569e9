// Finds what moved when the length of a step changed within the window.

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

#include "core/machine/machine_numbers.h"
#include "core/machine/telemetry/host_probes.h"
#include "core/statistics/summary.h"
#include "report/judge/point/cause_finder.h"

namespace scalemark::reporting {
namespace {

// Sources that can make steps longer, and whether by growing. What falls only because steps are
// longer, as traffic and power do, explains nothing.
struct Mover {
  const char* source;
  bool by_growing;
};
constexpr auto kMovers = std::to_array<Mover>({{monitoring::kThrottledCpus, true},
                                               {monitoring::kStealCpus, true},
                                               {monitoring::kSmClock, false},
                                               {"hw_slowdown", true},
                                               {"hw_thermal_slowdown", true},
                                               {"sw_thermal_slowdown", true},
                                               {"power_brake", true},
                                               {"cpu_frequency_MHz", false},
                                               {monitoring::kBusyCpus, true},
                                               {monitoring::kInterruptCpus, true},
                                               {monitoring::kRetransmits, true},
                                               {monitoring::kNetworkErrors, true},
                                               {monitoring::kSwappedBytes, true},
                                               {monitoring::kPressureMemory, true},
                                               {monitoring::kPressureIo, true},
                                               {monitoring::kPressureCpu, true}});

// The means of a course on both sides of a place, and by how many of its own deviations they
// differ.
struct Move {
  double before = 0, after = 0, deviations = 0;
};

// `at`: the place, as a share of the course. The part that holds it is left out.
Move move_of(std::span<const double> course, double at) {
  const auto part = static_cast<std::size_t>(at * static_cast<double>(course.size()));
  const auto before = course.first(part);
  const auto after = course.subspan(std::min(part + 1, course.size()));
  if (before.size() < 2 || after.size() < 2) return {};
  Move move{.before = statistics::mean(before), .after = statistics::mean(after)};
  const double squares = statistics::sum_of_squares(before, move.before) +
                         statistics::sum_of_squares(after, move.after);
  const double deviation =
      std::sqrt(squares / static_cast<double>(before.size() + after.size() - 2));
  const double least = 0.02 * std::max(std::abs(move.before), std::abs(move.after));
  if (least > 0) move.deviations = (move.after - move.before) / std::max(deviation, least);
  return move;
}

}  // namespace

void find_level_change(CauseFinder& finder) {
  constexpr double kClear = 3;
  const PointRecord& run = finder.point();
  const std::int64_t marks = run.steps_per_mark.value_or(1);
  const auto step = run.change_point_step.value_or(0) / marks;
  const std::span<const double> steps = run.step_samples_s;
  if (step <= 0 || step >= std::ssize(steps)) return;
  const auto first = steps.first(static_cast<std::size_t>(step));
  const auto rest = steps.subspan(static_cast<std::size_t>(step));
  const double before_s = statistics::mean(first), after_s = statistics::mean(rest);
  const double first_s = std::accumulate(first.begin(), first.end(), 0.0);
  const double at = first_s / std::accumulate(rest.begin(), rest.end(), first_s);
  const TelemetryRecord* moved = nullptr;
  Move most{.deviations = kClear};
  for (const Mover& mover : kMovers) {
    finder.each_reading(mover.source, [&](const TelemetryRecord& record) {
      Move move = move_of(record.values.course, at);
      if (mover.by_growing != (after_s > before_s)) move.deviations = -move.deviations;
      if (move.deviations <= most.deviations) return;
      most = move;
      moved = &record;
    });
  }
  AllNamed values{{"step", run.change_point_step.value_or(0)},
                  {"before_ms", kMs * before_s},
                  {"after_ms", kMs * after_s}};
  std::optional<FindingPlace> place;
  if (moved) {
    place = FindingPlace{.rank = moved->rank, .host = moved->host, .device = moved->values.device};
    values.emplace_back("source", moved->values.source);
    values.emplace_back("where", moved->values.device.empty()
                                     ? moved->host
                                     : moved->values.device + " of " + moved->host);
    values.emplace_back("before", most.before);
    values.emplace_back("after", most.after);
  }
  // Only the longer steps are too long.
  const double longer = after_s > before_s ? 1 - static_cast<double>(step) / std::ssize(steps)
                                           : static_cast<double>(step) / std::ssize(steps);
  finder.add(finding_kinds::level_change, std::abs(after_s - before_s) * longer, values, place);
}

}  // namespace scalemark::reporting
