// scalemark compare: did it get slower? Old reports against new ones.
#include <span>
#include <utility>
#include <vector>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/read_reports.h"
#include "apps/scalemark/sources.h"
#include "core/base/error.h"
#include "core/reporting/compare/text.h"

namespace scalemark::cli {
namespace {

using Files = std::vector<std::string>;

std::vector<Files> given(const Invocation& invocation, std::string_view option) {
  std::vector<Files> sides;
  for (const auto& [name, files] : invocation.lists) {
    if (name == option) sides.push_back(files);
  }
  return sides;
}

// --old FILES --new FILES [--new FILES...], or plain files, each a side of its own.
std::vector<Files> sides_of(const Invocation& invocation) {
  const char* kExpected = "--old FILE... --new FILE..., or two or more plain files, is expected";
  std::vector<Files> sides = given(invocation, "old");
  const std::vector<Files> further = given(invocation, "new");
  if (!invocation.positionals.empty()) {
    if (!sides.empty() || !further.empty()) {
      throw usage("'" + invocation.positionals.front() + "' belongs to neither --old nor --new",
                  kExpected);
    }
    for (const std::string& file : invocation.positionals) sides.push_back({file});
    if (sides.size() < 2) throw usage("one report is given", kExpected);
    return sides;
  }
  if (sides.empty()) throw usage("no old report is given", kExpected);
  if (sides.size() > 1) throw usage("--old is given twice", "once is expected, with all its files");
  if (further.empty()) throw usage("no new report is given", kExpected);
  sides.insert(sides.end(), further.begin(), further.end());
  return sides;
}

std::vector<reporting::ComparedSide> read_sides(const std::vector<Files>& sides) {
  std::vector<reporting::ComparedSide> reports;
  for (const Files& files : sides) {
    std::vector<reporting::Report> read = read_reports(files);
    reports.emplace_back();
    for (std::size_t i = 0; i < files.size(); ++i) {
      reports.back().push_back({files[i], std::move(read[i])});
    }
  }
  return reports;
}

}  // namespace

const HelpPage compare_page = {
    "[FILE...]",
    "Compares points of the same group, with Welch's test and Holm's correction over points, and\n"
    "prints Markdown. Several files on a side are several sessions, and the session is then the\n"
    "unit; five on each side are advised. With one session per side the run is the unit, and a\n"
    "change is only said to differ in this session, unless --same-session says that both sides\n"
    "were measured in one go. More than two sides: --new once for each, or plain FILEs, each a\n"
    "side of its own, the first being old. Exit code: 1 something got slower, else 2 something\n"
    "is unsure or differs in this session, else 0.",
    "  scalemark compare --old a1 a2 a3 a4 a5 --new b1 b2 b3 b4 b5        five sessions each\n"
    "  scalemark compare --old before --new after --same-session          measured in one go\n"
    "  scalemark compare v1.json v2.json v3.json                          both against the "
    "first\n"};

ExitCode compare_command(const Invocation& invocation) {
  const settings::ToolValues values = read_tool_values(invocation);
  const reporting::FailOn fail_on(values.text("fail_on").value());
  const auto sides = read_sides(sides_of(invocation));
  const auto comparison = reporting::compare_sides(
      sides,
      {.threshold = values.share("threshold").value(), .same_session = values.on("same_session")});
  print_result(reporting::comparison_markdown(comparison));
  ExitCode code = reporting::exit_code(comparison);
  for (const reporting::ComparedSide& side : std::span(sides).subspan(1)) {
    for (const reporting::NamedReport& one : side) code = judged_by(fail_on, one.report, code);
  }
  return code;
}

}  // namespace scalemark::cli
