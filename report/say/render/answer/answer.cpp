#include "report/say/render/answer/answer.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <utility>

#include "core/base/characters.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "report/judge/collectives/words.h"
#include "report/record/finding_kinds.h"
#include "report/record/point_facts.h"
#include "report/record/runs.h"
#include "report/record/verdict.h"
#include "report/say/render/sections/claim_sections.h"
#include "report/say/render/sections/sweep_sections.h"
#include "report/say/render/tensorboard.h"
#include "report/say/render/text.h"
#include "report/say/table/text_table.h"
#include "report/say/words/words.h"

namespace scalemark::reporting {
namespace {

constexpr std::size_t kMostParts = 3;

// Whether the finding names a rank, machine, device or link, and not a program.
bool is_proven_part(const Finding& finding) {
  return finding.place && blames_part(finding) && finding.domain != "software";
}

bool is_of_one_run(const VerdictReason& reason) {
  return role_of(reason.code) == FindingRole::kOneRun;
}

// Whether the reason is that the windows show little, which matters only if runs were repeated.
bool is_of_windows(const VerdictReason& reason) {
  const FindingKind* kind = find_finding_kind(reason.code);
  return kind && kind->role == FindingRole::kWindow && kind->severity == std::string_view("info");
}

// Whether the answer shows the reason at another place: the table's repetitions show that there is
// only one run, and proven parts are listed above the table.
bool is_said_elsewhere(const VerdictReason& reason, const Report& report, bool of_one_run) {
  if (is_of_one_run(reason) || (of_one_run && is_of_windows(reason))) return true;
  return std::ranges::any_of(report.findings, [&](const Finding& finding) {
    return finding.code == reason.code && is_proven_part(finding);
  });
}

void add_effort(Answer& answer, const std::string& words) {
  answer.effort += (answer.effort.empty() ? "" : ", ") + words;
}

// Adds the reasons why the numbers may be trusted less, then errors, then warnings that these do
// not cover.
void add_notes(Answer& answer, const Report& report, bool end_is_told) {
  std::vector<std::string> codes;
  const auto& verdict = report.verdict;
  const VerdictReason* change = verdict ? rejudged_reason(*verdict) : nullptr;
  const auto reasons = verdict ? verdict->reasons : std::vector<VerdictReason>();
  const bool of_one_run = std::ranges::any_of(reasons, is_of_one_run);
  for (const VerdictReason& reason : reasons) {
    if (reason.code == kJudgedAnew) continue;
    codes.push_back(reason.code);
    const bool is_said = is_said_elsewhere(reason, report, of_one_run) ||
                         (end_is_told && reason.code == kIncomplete);
    // The first reason is the gravest.
    const bool forbids = verdict->level == VerdictLevel::kDoNotQuote && codes.size() == 1;
    const bool cares = verdict->level == VerdictLevel::kWithCare && codes.size() == 1;
    // The table shows the reason, and the next command is the remedy, so the level alone is added.
    if (is_said && cares) add_effort(answer, quoting_words(verdict->level));
    if (is_said && !forbids) continue;
    const std::string remedy = reason.remedy.empty() ? "" : "; " + reason.remedy;
    answer.notes.push_back(forbids ? quoting_words(verdict->level) +
                                         (is_said ? "" : ": " + reason.text) + remedy
                           : cares ? quoting_words(verdict->level) + ": " + reason.text + remedy
                                   : reason.text);
  }
  if (verdict && verdict->level == VerdictLevel::kQuotable) {
    add_effort(answer, quoting_words(verdict->level));
  }
  const bool has_failed =  // a run that was asked to end has a reason of its verdict that says so
      report.status != ReportStatus::kComplete && report.status != ReportStatus::kInterrupted;
  for (const ErrorRecord& error : report.errors) {
    if (has_failed) answer.notes.push_back(error.what);
  }
  for (const Finding& finding : report.findings) {
    if (finding.severity == "info" || is_proven_part(finding)) continue;
    const auto says_it = [&](const std::string& said) {
      return said == finding.code || repeats(finding.code, said);
    };
    if (std::ranges::any_of(codes, says_it)) continue;
    codes.push_back(finding.code);
    const auto more = std::ranges::count(report.findings, finding.code, &Finding::code) - 1;
    answer.notes.push_back(finding.text +
                           (more > 0 ? " (and " + std::to_string(more) + " more)" : ""));
  }
  if (answer.notes.size() > kMostNotes) answer.notes.resize(kMostNotes);
  if (change) answer.notes.push_back(change->text);
}

void add_parts(Answer& answer, const Report& report) {
  for (const Finding& finding : report.findings) {
    if (!is_proven_part(finding)) continue;
    if (answer.parts.size() == kMostParts) return void(answer.parts.push_back("and more parts"));
    answer.parts.push_back(brief_text(finding));
  }
}

std::string head_lines(const Answer& answer, const Terminal& terminal) {
  const auto width = text_width(terminal);
  if (answer.what.empty()) return "";
  const std::string one = answer.what + (answer.effort.empty() ? "" : "   " + answer.effort);
  if (one.size() <= width) return inked(terminal, Ink::kBold, one) + "\n";
  std::string text = wrapped(answer.what, width, 2);
  text.pop_back();
  return inked(terminal, Ink::kBold, text) + "\n" +
         (answer.effort.empty() ? "" : "  " + answer.effort + "\n");
}

std::string next_lines(const Answer& answer, const Terminal& terminal) {
  std::size_t longest = 0;
  for (const auto& [wish, command] : answer.next) longest = std::max(longest, wish.size());
  std::string text;
  for (const auto& [wish, command] : answer.next) {
    const std::string line = wish + std::string(longest - wish.size() + 2, ' ') + command;
    text += inked(terminal, Ink::kDim, line) + "\n";
  }
  return text;
}

}  // namespace

std::string folder_of(const std::string& place) {
  const std::filesystem::path path(place);
  if (path.filename() == "report.json") {
    return path.has_parent_path() ? path.parent_path().string() : ".";
  }
  if (path.extension() == ".json" || path.extension() == ".jsonl") return "";
  return place.starts_with('-') ? "./" + place : place;  // a command would take it for an option
}

std::string effort_text(const Report& report) {
  const auto [fewest, most] = runs_of_points(report);
  std::string text = most <= 1 ? "one run each"
                     : fewest == most
                         ? std::to_string(most) + " runs each"
                         : std::to_string(fewest) + " to " + std::to_string(most) + " runs each";
  const auto from = seconds_of(report.started), to = seconds_of(report.finished);
  if (from && to && *to >= *from && report.sessions.size() < 2)
    text += ", " + age_text(*to - *from);
  return text;
}

std::string machine_line(const Report& report) {
  const auto& hosts = report.environment.hosts;
  if (hosts.empty()) return "";
  const monitoring::Host& host = hosts.front();
  std::string text = counted(std::ssize(hosts), "machine") + ": " +
                     (host.cpu.empty() ? "" : host.cpu + ", ") + counted(host.cores.usable, "core");
  if (host.gpus.empty()) return text;
  return text + ", " + std::to_string(host.gpus.size()) + " x " + host.gpus.front().name;
}

std::string program_line(const Report& report) {
  return "scalemark " + report.tool.version + " (" + report.tool.git_commit + ")";
}

Answer answer_of(const Report& report, const std::string& folder, bool end_is_told) {
  Answer answer = measures_collectives(report) ? answer_of_collectives(report, folder)
                  : is_sweep(report)           ? answer_of_sweep(report, folder)
                                               : answer_of_runs(report, folder);
  if (!report.claims.empty()) answer.found.push_back(claim_counts(report.claims));
  add_parts(answer, report);
  add_notes(answer, report, end_is_told);
  return answer;
}

std::string set_answer(const Answer& answer, const Terminal& terminal) {
  const auto width = text_width(terminal);
  const auto items = [&](const std::vector<std::string>& lines, const std::string& mark) {
    std::string text;
    for (const std::string& line : lines) {
      const std::string item = wrapped(line, width, mark.size() + 1, mark + " ");
      text += inked(terminal, Ink::kRed, mark) + item.substr(mark.size());
    }
    return text;
  };
  std::string text = items(answer.parts, "!!");
  if (!text.empty()) text += "\n";
  text += head_lines(answer, terminal);
  if (!answer.table.empty()) text += "\n" + section_text({"", answer.table, {}}, terminal);
  std::string below;
  for (const std::string& line : answer.found) below += wrapped(line, width, 2);
  below += items(answer.notes, "!");
  if (!below.empty()) text += (answer.table.empty() ? "" : "\n") + below;
  if (!answer.next.empty()) text += "\n" + next_lines(answer, terminal);
  return text;
}

namespace {

using SetAnswer = std::function<std::string(const Answer&, std::span<const Report>)>;

// Calls `set` for each answer, with the reports that it is about.
std::string set_all(std::span<const Report> reports, const std::vector<std::string>& places,
                    const Besides& besides, const SetAnswer& set) {
  std::string text;
  const auto add = [&](Answer answer, std::span<const Report> about) {
    std::string line = besides.published ? besides.published(about) : "";
    if (!line.empty()) answer.found.push_back(std::move(line));
    if (!besides.events.empty()) {
      answer.next.push_back(tensorboard_command(besides.events, besides.has_tensorboard));
    }
    text += (text.empty() ? "" : "\n") + set(answer, about);
  };
  std::vector<Report> runs;
  std::vector<std::string> places_of_runs;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const Report& report = reports[i];
    const std::string place = i < places.size() ? places[i] : "";
    if (!is_sweep(report) && !report.points.empty() && reports.size() > 1) {
      runs.push_back(report);
      if (!place.empty()) places_of_runs.push_back(place);
      continue;
    }
    add(answer_of(report, folder_of(place), besides.end_is_told), reports.subspan(i, 1));
  }
  if (!runs.empty()) add(answer_of_several(runs, places_of_runs), runs);
  return text;
}

}  // namespace

std::string render_answer(std::span<const Report> reports, const std::vector<std::string>& places,
                          const Terminal& terminal, Withheld withheld, const Besides& besides) {
  return answers_of(for_people(reports, withheld), places, terminal, besides);
}

std::string answers_of(std::span<const Report> reports, const std::vector<std::string>& places,
                       const Terminal& terminal, const Besides& besides) {
  return set_all(reports, places, besides, [&](const Answer& answer, std::span<const Report>) {
    return set_answer(answer, terminal);
  });
}

std::string summaries_of(std::span<const Report> reports, const Besides& besides) {
  return set_all(reports, {}, besides, set_summary);
}

}  // namespace scalemark::reporting
