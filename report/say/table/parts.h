// A table of points is made of its rows, their columns, the speed-ups of single points, and the
// notes below; intervals over repetitions come with sweeps. Pure; private to this folder.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/record/report.h"
#include "report/say/table/text_table.h"

namespace scalemark::reporting {

// A point, and what it computed on where the point itself does not say so: on a CPU the models of
// its hosts' CPUs ("AMD EPYC 9654"), or their names where the report has no model. Empty on a GPU:
// device_name says it.
struct PlacedPoint {
  const PointRecord* point;
  std::string machine;
};
PlacedPoint placed(const Report& report, const PointRecord& point);

struct SpeedUp {
  std::vector<const PointRecord*> baselines;  // equal ones, in the order given; combined
  // Against exp of the mean of their ln samples_per_sec, and by world_size; never clipped. Absent
  // where something disturbed one of the runs.
  std::optional<double> speedup, efficiency;
  Standing standing;
  bool strong;    // the same global batch, not the same batch per rank
  bool unsteady;  // a window that was not steady went in
  // Relative uncertainty of the ratio from the steps within the runs: runs differ by more. Absent
  // where one has no interval, and of a point against itself, which is exact.
  std::optional<double> at_least;
};

// Against the 1-rank points with the same settings on the same kind of machine, batch per rank
// first (weak), then global batch (strong); strategy none first. `point` is one of `points`. Absent
// without a baseline, and for a point that is not ok.
std::optional<SpeedUp> speed_up(const PointRecord& point, std::span<const PlacedPoint> points);

struct Row {
  const Report* report;
  const PointRecord* point;
  std::string number;  // "1": how notes name it
};

std::vector<Row> rows_of(std::span<const Report> reports);
std::vector<PlacedPoint> points_of(const std::vector<Row>& rows);

// Joins what all points have in common into a line: "resnet50, 224 px, strategy ddp". `rows` is not
// empty, here and below.
std::string common_traits(const std::vector<Row>& rows);
// How fast each point is, with what differs between the points.
std::vector<Column> throughput_columns(const std::vector<Row>& rows);
// Shows the parts of its steps.
std::vector<Column> step_columns(const std::vector<Row>& rows);
// One line per evaluation; `point` has some.
std::vector<Column> evaluation_columns(const PointRecord& point);

// The baseline of each speed-up, without which the number means nothing.
std::vector<std::string> baseline_notes(const std::vector<Row>& rows);
// Findings; equal ones of several rows are listed once.
std::vector<std::string> finding_notes(std::span<const Report> reports,
                                       const std::vector<Row>& rows);
// Points that are not ok, reports that are not complete, and errors.
std::vector<std::string> status_notes(std::span<const Report> reports,
                                      const std::vector<Row>& rows);

}  // namespace scalemark::reporting
