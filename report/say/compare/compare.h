// Compares old reports with new ones, point by point. Reads points, collectives, environment and
// settings of reports; pure, and knows no files.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/terminal.h"
#include "report/record/comparison.h"
#include "report/record/report.h"

namespace scalemark::reporting {

// Reports of the same thing: one version on one machine. Several files are several sessions.
using ComparedSide = std::vector<NamedReport>;

struct CompareRule {
  double threshold = statistics::kChangeThatCounts;
  bool same_session = false;  // the user asserts that all sides were measured in one session
};

// sides[0] is the old one. There are at least two sides, each with at least one report, judged
// (set_standings()). Points and collectives are matched by group. The unit is the session where any
// side has several, else the run. Each file has its own sessions, and the value of one is the
// geometric mean of its runs. Holm's family is every point on every further side. A point that only
// the first side has, or only further ones, is not judged. Throws bad_data() when the sides share
// no point (unless they hold nothing but fingerprints), and for `same_session` with a side of
// several sessions. Source: METRICS.md, "Old against new".
Comparison compare_sides(std::span<const ComparedSide> sides, const CompareRule& rule);

// Returns kFail when anything is slower, else kUnsure when anything is unsure or differs only in
// this session, else kPass.
ExitCode exit_code(const Comparison& comparison);

// Begins with a sentence that says the result: "slower: x by 5.00 %; 2 same", "no difference beyond
// 2 %", "cannot tell, because ...". `details` adds every column and row, and what verdicts mean.
std::string comparison_text(const Comparison& comparison, const Terminal& terminal, bool details);

std::string comparison_markdown(const Comparison& comparison);  // includes the details
// Writes one line for each point and further side: every number, and the standing of the change.
std::string comparison_csv(const Comparison& comparison);

// --- Parts of compare_sides(). Private to this folder.

// Lists what differs, in a fixed order, of machine, versions, settings, and the facts of points
// with the same name. A side with several values shows them all, with commas between; "-" stands
// for a fact that a side does not know.
std::vector<Difference> find_differences(std::span<const ComparedSide> sides);

// Writes one sentence for each measurement of a machine by itself that differs between the first
// side and a further one, by the same method: the intervals of the two sides, each over all its
// reports, are disjoint, and the rates differ by `threshold` at least. Writes one sentence where
// none differs, and nothing where the sides have no measurement in common. Source: METRICS.md,
// "The machine's fingerprint".
std::vector<std::string> compare_fingerprints(std::span<const ComparedSide> sides,
                                              double threshold);

// Whether every side has fingerprints and no points, as reports of doctor --measure do.
bool are_fingerprints_alone(std::span<const ComparedSide> sides);

}  // namespace scalemark::reporting
