// The units that find causes share the run, all that was read beside it, and the list that they
// add to. Private to this folder.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/judge/point/causes.h"
#include "report/record/finding_kinds.h"

namespace scalemark::reporting {

inline constexpr double kMs = 1e3;           // numbers of causes are in milliseconds
inline constexpr double kLeastCause = 0.01;  // smaller shares of the step are left out

// Returns T, the length of a step.
double whole_step_s(const PointRecord& point);

class CauseFinder {
 public:
  CauseFinder(const PointRecord& point, const CauseContext& context)
      : point_(point), context_(context), step_s_(whole_step_s(point)) {}

  const PointRecord& point() const { return point_; }
  double step_s() const { return step_s_; }

  // `is_fault` unset: by the kind's severity.
  struct Sort {
    std::optional<bool> is_fault = std::nullopt;
    std::optional<double> predicted_s = std::nullopt;
  };
  void add(const FindingKind& kind, double seconds, AllNamed values,
           std::optional<FindingPlace> place, const Sort& sort);
  void add(const FindingKind& kind, double seconds, AllNamed values,
           std::optional<FindingPlace> place = std::nullopt) {
    add(kind, seconds, std::move(values), std::move(place), Sort{});
  }

  // Returns null where the run has no such finding.
  const Finding* find(const FindingKind& kind) const;
  const monitoring::Host* host(const std::string& name) const;

  // Calls read(record) for all that was read of one source during the run.
  template <class Read>
  void each_reading(const char* source, const Read& read) const {
    for (const TelemetryRecord& record : context_.telemetry) {
      if (record.point == point_.id && record.values.source == source) read(record);
    }
  }
  std::optional<double> mean_of_host(const char* source, const std::string& host) const;

  // Returns the causes: faults, then costs, each the largest first.
  std::vector<CauseRecord> take();

 private:
  const PointRecord& point_;
  const CauseContext& context_;
  double step_s_;
  std::vector<CauseRecord> all_;
};

// Splits the communication that nothing hides. `held_s`: how long ranks were held up within
// exchanges, which is no matter of the link.
void find_link_causes(CauseFinder& finder, double held_s);

// Finds what devices and the ways to them take. `own_s`: the slowest rank's own time of a step;
// `data_s`: by how much waits for data make it longer.
void find_device_causes(CauseFinder& finder, double own_s, double data_s);

// Finds by how much steps became longer within the window, and what moved with them.
void find_level_change(CauseFinder& finder);

}  // namespace scalemark::reporting
