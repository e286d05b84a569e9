// The parts of a table of points: its rows, their columns, the speed-ups of single points, and the
// notes below. Intervals over repetitions exist in sweeps only. Pure; private to this folder.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/record/report.h"
#include "report/say/table/text_table.h"

namespace scalemark::reporting {

// A point, and the machine that it ran on where the point itself does not name it: on a CPU the
// models of its hosts' CPUs ("AMD EPYC 9654"), or the hosts' names where the report has no model.
struct PlacedPoint {
  const PointRecord* point;
  std::string machine;  // empty on a GPU, which device_name describes
};
PlacedPoint placed(const Report& report, const PointRecord& point);

struct SpeedUp {
  std::vector<const PointRecord*> baselines;  // equally good ones, in the order given
  // speedup is samples_per_sec divided by the geometric mean of the baselines' values, efficiency
  // is speedup divided by world_size; never clipped. Unset where something disturbed one of the
  // runs.
  std::optional<double> speedup, efficiency;
  Standing standing;
  bool strong;    // true: same global batch; false: same batch per rank
  bool unsteady;  // true: a window was not steady
  // The relative uncertainty of the ratio from the steps within the runs. Runs differ by more.
  // Unset where one has no interval, and for a point compared with itself, which is exact.
  std::optional<double> at_least;
};

// Compares a point with the 1-rank points of the same settings on the same kind of machine,
// preferring equal batch per rank (weak) to equal global batch (strong), and strategy none. `point`
// is one of `points`. Returns nothing without a baseline, and for a point that is not ok.
std::optional<SpeedUp> speed_up(const PointRecord& point, std::span<const PlacedPoint> points);

struct Row {
  const Report* report;
  const PointRecord* point;
  std::string number;  // name of the row in notes: "1"
};

std::vector<Row> rows_of(std::span<const Report> reports);
std::vector<PlacedPoint> points_of(const std::vector<Row>& rows);

// Joins what all points have in common into a line: "resnet50, 224 px, strategy ddp". `rows` is not
// empty, here and below.
std::string common_traits(const std::vector<Row>& rows);
// Shows how fast each point is, and what differs between the points.
std::vector<Column> throughput_columns(const std::vector<Row>& rows);
// Shows the parts of each point's steps.
std::vector<Column> step_columns(const std::vector<Row>& rows);
// Shows one line per evaluation; `point` has some.
std::vector<Column> evaluation_columns(const PointRecord& point);

// Names the baseline of each speed-up, without which the number means nothing.
std::vector<std::string> baseline_notes(const std::vector<Row>& rows);
// Lists findings. Equal ones of several rows are listed once.
std::vector<std::string> finding_notes(std::span<const Report> reports,
                                       const std::vector<Row>& rows);
// Lists points that are not ok, reports that are not complete, and errors.
std::vector<std::string> status_notes(std::span<const Report> reports,
                                      const std::vector<Row>& rows);

}  // namespace scalemark::reporting
