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

// Reports of the same thing: one version, one machine. Several files are several sessions.
using ComparedSide = std::vector<NamedReport>;

struct CompareRule {
  double threshold = statistics::kChangeThatCounts;
  bool same_session = false;  // a person says that all sides were measured in one go
};

// sides[0] is old; at least two sides, each with at least one report, judged (set_standings()).
// Points and collectives are matched by group. The unit is the session (of each file; its value the
// geometric mean of its runs) where any side has several, else the run. Holm's family is every
// point on every further side. A point that only the first side has, or only further ones, is not
// judged. Throws bad_data() when the sides share no point (unless they hold nothing but
// fingerprints), and for `same_session` with a side of several sessions. Source: docs/METRICS.md,
// "Old against new".
Comparison compare_sides(std::span<const ComparedSide> sides, const CompareRule& rule);

// kFail when anything is slower, else kUnsure when anything is unsure or differs only in this
// session, else kPass.
ExitCode exit_code(const Comparison& comparison);

// First one sentence that says what came out: "slower: x by 5.00 %; 2 same", "no difference beyond
// 2 %", "cannot tell, because ...". `details`: with every column and row, and what verdicts mean.
std::string comparison_text(const Comparison& comparison, const Terminal& terminal, bool details);

std::string comparison_markdown(const Comparison& comparison);  // with details
// One line for each point and other side: every number, and the standing of the change.
std::string comparison_csv(const Comparison& comparison);

// --- Parts of compare_sides(). Private to this folder.

// Machine, versions, settings, and the facts of points of the same name: only what differs, in a
// fixed order. A side of several values shows them all, commas between; what a side does not know
// is "-".
std::vector<Difference> find_differences(std::span<const ComparedSide> sides);

// One sentence for each measurement of one method, of what machines do by themselves, that differs
// between the first side and a further one: the intervals of the two sides, each over all its
// reports, are disjoint, and the rates differ by `threshold` at least. One sentence where none
// does; empty where the sides have no measurement in common. Source: docs/METRICS.md, "The
// machine's fingerprint".
std::vector<std::string> compare_fingerprints(std::span<const ComparedSide> sides,
                                              double threshold);

// Whether every side has fingerprints and no point at all, as reports of doctor --measure.
bool are_fingerprints_alone(std::span<const ComparedSide> sides);

}  // namespace scalemark::reporting
