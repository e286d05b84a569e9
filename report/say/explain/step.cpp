// Says why a step of one run is as long as it is.

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "core/base/error.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "report/judge/judge.h"
#include "report/judge/point/causes.h"
#include "report/record/finding_kinds.h"
#include "report/record/point_facts.h"
#include "report/say/explain/explain.h"
#include "report/say/table/table.h"

namespace scalemark::reporting {
namespace {

constexpr std::size_t kMostTold = 4;

std::string share_of_step(double seconds, const PointRecord& run) {
  return percent_text(seconds / run.step_time_s.value_or(run.step_mean_over_ranks_s));
}

std::string place_in_words(const CauseRecord& cause) {
  if (!cause.place) return kAbsent;
  const FindingPlace& place = *cause.place;
  std::vector<std::string> words;
  if (place.rank) words.push_back("rank " + std::to_string(*place.rank));
  for (const std::string& name : {place.device, place.link, place.host}) {
    if (!name.empty()) words.push_back(name);
  }
  return words.empty() ? kAbsent : joined(words, ", ");
}

// Writes what was found, what to try, and how much shorter a step gets.
std::string told(const CauseRecord& cause, const PointRecord& run) {
  const double step_s = run.step_time_s.value_or(run.step_mean_over_ranks_s);
  const double saved_s = cause.predicted_s.value_or(cause.at_most_s.value_or(0));
  std::string text = cause.code + ": " + cause.text;
  if (!cause.remedy.empty()) text += "; to try: " + cause.remedy;
  if (!(saved_s > 0) || saved_s >= step_s) return text;
  return text + "; gain " + (cause.predicted_s ? "about " : "at most ") + duration_text(saved_s) +
         " a step, " + with_decimals(step_s / (step_s - saved_s), 2) + "x";
}

std::vector<std::string> not_measured(const PointRecord& run,
                                      const std::vector<CauseRecord>& causes) {
  std::vector<std::string> missing;
  if (!run.phases_s) {
    missing.emplace_back("the parts of a step: --cuda-graphs off marks them");
  }
  const bool knows_cpus = std::ranges::all_of(run.ranks, [](const RankRecord& rank) {
    return rank.scheduling && rank.scheduling->queued_s;
  });
  if (!knows_cpus && run.device == "cpu") {
    missing.emplace_back(
        "what kept ranks from a CPU: a kernel with /proc/PID/schedstat, and a report of this "
        "version");
  }
  const std::string_view unsplit = finding_kinds::exchange.code;
  if (std::ranges::count(causes, unsplit, &CauseRecord::code) > 0) {
    const auto command = comm_command(run);
    missing.push_back("the link by itself: " + command.value_or("scalemark comm"));
  }
  if (is_short_window(run)) {
    missing.emplace_back("causes that come and go: a longer window, --min-time 30");
  }
  return missing;
}

// Writes milliseconds with as many decimals as a step of this length needs.
std::string ms_text(double seconds, const PointRecord& run) {
  constexpr double kShort_s = 1e-3;
  const double step_s = run.step_time_s.value_or(run.step_mean_over_ranks_s);
  return with_decimals(1e3 * seconds, step_s < kShort_s ? 4 : 2);
}

Section parts_section(const PointRecord& run) {
  auto parts = step_parts(run);
  constexpr double kSmall = 5e-4;
  const double least_s = kSmall * run.step_time_s.value_or(run.step_mean_over_ranks_s);
  for (StepPart& part : parts) {
    if (&part == &parts.back() || std::abs(part.seconds) >= least_s) continue;
    parts.back().seconds += std::exchange(part.seconds, 0);
  }
  std::erase_if(parts, [&](const StepPart& part) { return part.seconds == 0; });
  Section section{"Where a step goes", {}, {}};
  section.columns = {
      column({"part"}, true, parts, &StepPart::name),
      column({"ms"}, false, parts, [&](const auto& one) { return ms_text(one.seconds, run); }),
      column({"%"}, false, parts,
             [&](const auto& one) { return share_of_step(one.seconds, run); })};
  return section;
}

// A report of an earlier version has none; they are found now.
std::vector<CauseRecord> causes_in(const Report& report, const PointRecord& run) {
  if (!run.causes.empty()) return run.causes;
  return causes_of(run, {.hosts = report.environment.hosts,
                         .telemetry = report.telemetry,
                         .findings = report.findings});
}

Section causes_section(const PointRecord& run, const std::vector<CauseRecord>& causes) {
  Section section{"Why it takes as long", {}, {}};
  std::vector<CauseRecord> rows = causes;
  if (rows.empty()) {
    section.lines.emplace_back("no cause takes 1 % of a step or more");
    return section;
  }
  if (const double rest_s = unexplained_s(run, causes); rest_s > 0) {
    rows.push_back({.code = "not explained", .seconds = rest_s});
  }
  const auto kind = [](const CauseRecord& one) {
    return one.domain.empty() ? kAbsent : one.is_fault ? "fault" : "cost";
  };
  const auto where = [](const CauseRecord& one) {
    return one.domain.empty() ? kAbsent : one.domain + ", " + one.layer;
  };
  section.columns = {
      column({"cause"}, true, rows, &CauseRecord::code),
      column({"kind"}, true, rows, kind),
      column({"ms"}, false, rows, [&](const auto& one) { return ms_text(one.seconds, run); }),
      column({"%"}, false, rows, [&](const auto& one) { return share_of_step(one.seconds, run); }),
      column({"domain, layer"}, true, rows, where),
      column({"where"}, true, rows, place_in_words)};
  section.columns[4].may_go = true;
  for (std::size_t i = 0; i < std::min(causes.size(), kMostTold); ++i) {
    section.lines.push_back(told(causes[i], run));
  }
  return section;
}

bool is_explained(const PointRecord& run) {
  return run.status == PointStatus::kOk && !run.standing.is_withheld();
}

}  // namespace

std::vector<Section> step_sections(const Report& report, const PointRecord& run) {
  if (!is_explained(run)) return {};
  const auto causes = causes_in(report, run);
  if (causes.empty()) return {};
  return {parts_section(run), causes_section(run, causes)};
}

const PointRecord& choose_run(const Report& report, const std::string& id) {
  const PointRecord* chosen = nullptr;
  std::vector<std::string> ids;
  for (const PointRecord& run : report.points) {
    if (!is_explained(run)) continue;
    ids.push_back(run.id);
    const bool asks_more =
        id.empty() ? !chosen || run.world_size > chosen->world_size : run.id == id;
    if (asks_more) chosen = &run;
  }
  if (chosen) return *chosen;
  if (!id.empty()) {
    throw configuration("--run is '" + id + "'", "a run that was measured: " + listed(ids, 20));
  }
  throw configuration("the report has no run to explain", "one that was measured is expected",
                      "measure one: scalemark train --output DIR ...");
}

std::string run_explanation_text(const Report& report, const PointRecord& run,
                                 const std::vector<const Report*>& collectives,
                                 const Terminal& terminal) {
  const auto width = text_width(terminal);
  const double step_s = run.step_time_s.value_or(run.step_mean_over_ranks_s);
  std::string text = wrapped(
      "a step takes " + duration_text(step_s) + " on " + counted(run.world_size, "rank"), width, 2);
  text.pop_back();  // the line end is not to be bold
  text = inked(terminal, Ink::kBold, text) + "\n";
  text += wrapped(run.id + "; " + traits_in_common({&run}), width, 4, "  ");
  if (const std::string quoting = quoting_in_words(report); !quoting.empty())
    text += wrapped(quoting, width, 4, "  ");
  const auto causes = causes_in(report, run);
  std::vector<Section> sections{parts_section(run), causes_section(run, causes)};
  if (const auto times = bucket_times(run, collectives); times && times->together_s) {
    sections.push_back({"The link by itself",
                        {},
                        {times->measured_as + ": the buckets of a step take " +
                         duration_text(*times->together_s)}});
  }
  sections.push_back({"Not measured", {}, not_measured(run, causes)});
  for (const Section& section : sections) {
    if (section.columns.empty() && section.lines.empty()) continue;
    text += "\n" + section_text(section, terminal);
  }
  const NextCommand next = next_command(report);
  if (!next.command.empty())
    text += "\n" + wrapped(std::string(next.when) + ": " + next.command, width, 2);
  return text;
}

}  // namespace scalemark::reporting
