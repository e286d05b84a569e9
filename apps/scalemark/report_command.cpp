// Commands that read reports and print what they say: report; explain, why N ranks give less than N
// times; compare, whether it got slower.

#include <unistd.h>

#include <algorithm>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/formats.h"
#include "apps/scalemark/outputs.h"
#include "apps/scalemark/read_reports.h"
#include "apps/scalemark/sources.h"
#include "claims/judge/claims.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "report/hide/redact.h"
#include "report/judge/judge.h"
#include "report/say/compare/compare.h"
#include "report/say/explain/explain.h"
#include "report/say/render/answer/answer.h"
#include "report/say/render/render.h"

namespace scalemark::cli {

ExitCode report_command(const Invocation& invocation) {
  const settings::ToolValues values = read_tool_values(invocation);
  const bool example = values.on("example");
  if (example != invocation.positionals.empty()) {
    throw usage(example ? "--example and '" + invocation.positionals.front() + "' are both given"
                        : "no report is given",
                example ? "one of the two is expected"
                        : "a report.json, the folder that holds it, or --example is expected");
  }
  OutputFiles outputs(inputs_of(invocation, values), values.on("overwrite"));
  const auto requests = read_formats(values, outputs);
  const reporting::FailOn fail_on(values.text("fail_on").value());
  std::vector<reporting::Report> reports;
  std::vector<std::string> places;
  std::vector<reporting::NamedReport> read = read_named_reports(invocation.positionals);
  if (example) read.push_back({"", example_report()});
  for (auto& [place, report] : read) {
    reports.push_back(values.on("redact") ? reporting::redacted(report) : std::move(report));
    if (!example && !values.on("redact")) places.push_back(place);
  }
  const auto withheld =
      values.on("withheld") ? reporting::Withheld::kMarked : reporting::Withheld::kLeftOut;
  const reporting::Besides besides{.published = claims::nearest_published};
  const auto rendered = [&](const reporting::RenderRequest& request) {
    if (request.format == reporting::Format::kSummary) {
      return reporting::summaries_of(reporting::for_people(reports, withheld), besides);
    }
    if (request.format != reporting::Format::kTable) {
      return reporting::render(request.format, reports, withheld);
    }
    const Terminal terminal = request.file.empty() ? terminal_of(STDOUT_FILENO) : Terminal();
    if (values.on("details")) return reporting::render_console(reports, withheld, terminal);
    if (!request.file.empty()) return reporting::render(request.format, reports, withheld);
    return reporting::render_answer(reports, places, terminal, withheld, besides);
  };
  write_formats(requests, outputs, rendered, reports, withheld);
  ExitCode code = ExitCode::kPass;
  for (const auto& report : reports) code = judged_by(fail_on, report, code);
  return code;
}

namespace {

struct Given {
  reporting::Report sweep;
  std::vector<reporting::Report> collectives;
};

Given sorted_out(std::vector<reporting::NamedReport> reports) {
  print_changed_verdicts(reports);
  std::vector<reporting::Report> sweeps;
  Given given;
  for (auto& [name, report] : reports) {
    auto& kind = reporting::measures_collectives(report) ? given.collectives : sweeps;
    kind.push_back(reporting::for_people(std::move(report)));
  }
  if (sweeps.size() != 1) {
    throw usage(std::to_string(sweeps.size()) + " reports of training are given",
                "one is expected; reports of `scalemark comm` may stand beside it");
  }
  given.sweep = std::move(sweeps.front());
  return given;
}

}  // namespace

ExitCode explain_command(const Invocation& invocation) {
  if (invocation.positionals.empty()) {
    throw usage("no report is given", "a report of `scalemark train` or `sweep` is expected");
  }
  const settings::ToolValues values = read_tool_values(invocation);
  const Given given = sorted_out(read_named_reports(invocation.positionals));
  std::vector<const reporting::Report*> collectives;
  for (const auto& report : given.collectives) collectives.push_back(&report);
  const Terminal terminal = terminal_of(STDOUT_FILENO);
  const auto run = values.text("run");
  const bool of_run = run || (!values.text("group") && !reporting::has_row_to_explain(given.sweep));
  if (of_run) {
    const auto& chosen = reporting::choose_run(given.sweep, run.value_or(""));
    return print_result(
        reporting::run_explanation_text(given.sweep, chosen, collectives, terminal));
  }
  const auto explanation = reporting::explain(
      given.sweep, collectives,
      {.group = values.text("group").value_or(""), .target = values.number("target").value()});
  return print_result(reporting::explanation_text(explanation, terminal));
}

namespace {

using Files = std::vector<std::string>;

std::vector<Files> given(const Invocation& invocation, std::string_view option) {
  std::vector<Files> sides;
  for (const auto& [name, files] : invocation.lists) {
    if (name == option) sides.push_back(files);
  }
  return sides;
}

// The files of --old FILES --new FILES [--new FILES...], or plain files, each a side of its own.
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
    print_changed_verdicts(side);
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
