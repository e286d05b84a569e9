// Judges the numbers of a report for every form and command: the verdict on the whole, the standing
// of each number, and what of a report people are shown. Pure. Source: METRICS.md, "Standing".
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "report/record/report.h"

namespace scalemark::reporting {

// Sets report.verdict (record/verdict.h) and the standing of each number. Call it before a report
// is written.
void judge(Report& report);

// Sets the standings alone. A report that was read from a file keeps the verdict that
// complete_older() leaves. A number that is concluded from several runs (speed-up, efficiency, a
// share, an effect) is withheld where something disturbed them and too few others are left
// (fit_decide()). A number that was measured (a rate, a time) is withheld only where clocks
// contradict each other.
void set_standings(Report& report);

// Returns the groups from whose runs nothing may be concluded, since too few of them were
// undisturbed. It contains kWholeReport where that holds for all runs together.
inline constexpr const char* kWholeReport = "";
std::set<std::string> groundless(const Report& report);

// Returns quoting_words() (verdict.h) of the gravest of several reports; empty where all are
// quotable.
std::string quoting_words(std::span<const Report> reports);
// Returns those words for one report, with the gravest reason and what raises the verdict: "quote
// with care: one run each: ...; more runs: --repetitions 5". Empty without a verdict.
std::string quoting_in_words(const Report& report);

// A command that makes the numbers surer, and when to run it: "once it is quiet", where too few
// runs of a point were fit; kWithIntervals, which drops --quick; "to be surer", where the remedy of
// the gravest reason is an option with a value. Empty: there is none.
inline constexpr const char* kWithIntervals = "with intervals";
struct NextCommand {
  const char* when = "";
  std::string command;
};
NextCommand next_command(const Report& report);

// Says why a number is not shown as it is, in the words of the verdict or of the first finding.
std::string reason_in_words(const Report& report, const Standing& standing);

enum class Withheld { kLeftOut, kMarked };

// Returns a report as a person may be shown it: judged, and with kLeftOut without the withheld
// numbers and the findings that rest on them. A renderer cannot print what it does not get.
Report for_people(Report report, Withheld withheld = Withheld::kLeftOut);
std::vector<Report> for_people(std::span<const Report> reports,
                               Withheld withheld = Withheld::kLeftOut);

}  // namespace scalemark::reporting
