// One place judges the numbers of a report for every form and command: the verdict of the whole,
// the standing of each number, and the form of a report that people are shown. Pure. Source:
// docs/METRICS.md, "Standing".
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

// Sets the standings alone: a report that is read keeps what complete_older() says of its verdict.
// A number that is concluded from several runs (speed-up, efficiency, a share, an effect) is
// withheld where something disturbed them and too few others are left (fit_decide()); one that was
// measured (a rate, a time) only where clocks contradict each other.
void set_standings(Report& report);

// The groups from whose runs nothing may be concluded, since too few of them were not disturbed;
// kWholeReport where that is so of all runs together.
inline constexpr const char* kWholeReport = "";
std::set<std::string> groundless(const Report& report);

// quoting_words() (verdict.h) of the gravest of several reports; empty where all are quotable.
std::string quoting_words(std::span<const Report> reports);
// The same of a report, with the gravest reason and what raises it: "quote with care: one run each:
// ...; more runs: --repetitions 5". Empty without a verdict.
std::string quoting_in_words(const Report& report);

// The command that makes its numbers surer, and when to run it: "once it is quiet", where too few
// runs of a point were fit; kWithIntervals, without --quick; "to be surer", where the remedy of
// the gravest reason is an option with a value. Empty without one.
inline constexpr const char* kWithIntervals = "with intervals";
struct NextCommand {
  const char* when = "";
  std::string command;
};
NextCommand next_command(const Report& report);

// Why a number does not stand as it is, in the words of the verdict or of the first finding.
std::string reason_in_words(const Report& report, const Standing& standing);

enum class Withheld { kLeftOut, kMarked };

// The report as a person may be shown it: judged, and with kLeftOut without the numbers that are
// withheld and the findings that rest on them. A renderer cannot print what it does not get.
Report for_people(Report report, Withheld withheld = Withheld::kLeftOut);
std::vector<Report> for_people(std::span<const Report> reports,
                               Withheld withheld = Withheld::kLeftOut);

}  // namespace scalemark::reporting
