// A table of points is made of its rows, their columns, and the notes below. Pure. Private to the
// files of this folder.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/reporting/record/report.h"
#include "core/reporting/table/baseline.h"
#include "core/reporting/table/text_table.h"

namespace scalemark::reporting {

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
