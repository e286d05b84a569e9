// scalemark compare: did it get slower? Old reports against new ones.
#include <unistd.h>

#include <algorithm>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/formats.h"
#include "apps/scalemark/outputs.h"
#include "apps/scalemark/read_reports.h"
#include "apps/scalemark/sources.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/reporting/compare/compare.h"

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
  std::vector<std::string> again;
  for (const Files& files : sides) {
    reporting::ComparedSide side = read_named_reports(files);
    tell_changed_verdicts(side);
    for (const reporting::NamedReport& one : side) {
      const auto is_same = [&](const reporting::NamedReport& other) {
        return are_of_one_run(other.report, one.report);
      };
      if (std::ranges::any_of(reports | std::views::join, is_same)) again.push_back(one.name);
    }
    reports.push_back(std::move(side));
  }
  if (!again.empty()) {
    print_note(listed(again) + (again.size() == 1 ? " is" : " are") +
               " on another side, too: a run does not differ from itself");
  }
  return reports;
}

std::vector<reporting::RenderRequest> comparison_formats(const settings::ToolValues& values,
                                                         OutputFiles& outputs) {
  auto requests = read_formats(values, outputs);
  for (const auto& [format, file] : requests) {
    using enum reporting::Format;
    if (format == kTable || format == kMarkdown || format == kCsv) continue;
    throw configuration(
        "--format is '" + std::string(reporting::format_name(format)) + "', which shows reports",
        "table, md or csv are expected of a comparison");
  }
  return requests;
}

std::string shown(const reporting::Comparison& comparison, const reporting::RenderRequest& request,
                  bool details) {
  if (request.format == reporting::Format::kCsv) return comparison_csv(comparison);
  if (request.format == reporting::Format::kMarkdown) return comparison_markdown(comparison);
  const Terminal terminal = request.file.empty() ? terminal_of(STDOUT_FILENO) : Terminal();
  return comparison_text(comparison, terminal, details);
}

}  // namespace

const HelpPage compare_page = {
    "[FILE...]",
    "Says whether something got slower: points of the same group are compared, beyond what chance\n"
    "gives. Several files on a side are several sessions, and sessions are then compared; five on\n"
    "each side are advised. With one session per side runs are compared, and a change is only "
    "said\n"
    "to differ, which the sessions may do by themselves, unless --same-session says that both "
    "sides\n"
    "were measured in one go. More than two sides: --new once for each, or plain FILEs, each a\n"
    "side of its own, the first being old. Exit code: 1 something got slower, else 2 something\n"
    "is unsure or differs, else 0. Points that one side lacks are named and judge nothing.",
    "  scalemark compare --old a1 a2 a3 a4 a5 --new b1 b2 b3 b4 b5        five sessions each\n"
    "  scalemark compare --old before --new after --same-session          measured in one go\n"
    "  scalemark compare v1.json v2.json v3.json                          both against the "
    "first\n"};

ExitCode compare_command(const Invocation& invocation) {
  const settings::ToolValues values = read_tool_values(invocation);
  OutputFiles outputs(inputs_of(invocation, values), values.on("overwrite"));
  const auto requests = comparison_formats(values, outputs);
  const reporting::FailOn fail_on(values.text("fail_on").value());
  const auto sides = read_sides(sides_of(invocation));
  const auto comparison = reporting::compare_sides(
      sides,
      {.threshold = values.number("threshold").value(), .same_session = values.on("same_session")});
  write_formats(requests, outputs, [&](const reporting::RenderRequest& request) {
    return shown(comparison, request, values.on("details"));
  });
  ExitCode code = reporting::exit_code(comparison);
  for (const reporting::ComparedSide& side : std::span(sides).subspan(1)) {
    for (const reporting::NamedReport& one : side) code = judged_by(fail_on, one.report, code);
  }
  return code;
}

}  // namespace scalemark::cli
