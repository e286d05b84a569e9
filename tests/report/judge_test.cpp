// No form for people holds what is withheld: two reports that differ in nothing else give the same
// text in every one of them.
#include "report/judge/judge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "claims/lint/inputs.h"
#include "report/record/finding_kinds.h"
#include "report/record/report_json.h"
#include "report/record/surety.h"
#include "report/say/compare/compare.h"
#include "report/say/explain/explain.h"
#include "report/say/render/answer/answer.h"
#include "report/say/render/render.h"
#include "report/say/words/words.h"
#include "tests/report/sample_collectives.h"
#include "tests/report/sample_slices.h"
#include "tests/report/sample_sweep.h"

namespace scalemark::reporting {
namespace {

namespace kinds = finding_kinds;

// This may happen to the runs of a sweep.
struct Mishap {
  const char* name;
  const FindingKind* kind;  // null: nothing
  std::function<bool(const PointRecord&)> hits;
  int repetitions = 3;
  bool withholds = true;  // some number of every such report
};

const std::vector<Mishap>& mishaps() {
  using Run = const PointRecord&;
  const auto all = [](Run) { return true; };
  const auto widest = [](Run run) { return run.world_size > 1; };
  const auto baseline = [](Run run) { return run.world_size == 1; };
  static const std::vector<Mishap> kAll{
      {"quiet", nullptr, all, 3, false},
      {"one quiet run", nullptr, all, 1, false},
      {"all shared", &kinds::shared, all},
      {"one shared run", &kinds::shared, all, 1},
      {"busy before", &kinds::machine_busy, widest},
      {"throttled baseline", &kinds::throttled, baseline},
      {"wrong counters", &kinds::counters_disagree, widest},
      {"wrong clocks", &kinds::clocks_disagree, widest},
      {"one of five shared", &kinds::shared, [](Run run) { return run.repetition == 0; }, 5},
      {"too brief", &kinds::others_unknown, all, 3, false}};
  return kAll;
}

Report sweep_with(const Mishap& mishap, std::uint64_t seed) {
  const SweepShape shape{.seed = seed,
                         .world_sizes = {1, 2},
                         .batch_sizes = {64, 128},
                         .repetitions = mishap.repetitions,
                         .steps = 16,
                         .slow_rank = seed % 2 == 0 ? std::optional(1) : std::nullopt};
  Report report = sample_sweep(shape);
  if (mishap.kind) {
    for (const PointRecord& run : report.points) {
      if (run.status != PointStatus::kOk || !mishap.hits(run)) continue;
      report.findings.push_back(make_finding(*mishap.kind, run.id));
    }
  }
  for (PointRecord& run : report.points) {
    run.break_even_steps = 1200;
    run.mfu_of_measured_gemm = 0.4;
  }
  summarise(report);
  judge(report);
  return report;
}

// The same report with other numbers wherever one is withheld.
Report with_others(Report report) {
  const auto other = [](std::optional<double>& number) {
    if (number) *number *= 1.7;
  };
  for (PointRecord& run : report.points) {
    if (!is_disturbed(run.standing)) continue;
    other(run.break_even_steps);
    other(run.mfu_of_measured_gemm);
    if (!run.standing.is_withheld()) continue;
    run.samples_per_sec *= 1.7;
    run.samples_per_sec_per_rank *= 1.7;
    run.wall_s *= 1.7;
    run.step_s.mean *= 1.7;
    other(run.step_s.p50);
    other(run.step_time_s);
    for (double& step : run.step_samples_s) step *= 1.7;
    for (RankRecord& rank : run.ranks) rank.wall_s *= 1.7;
  }
  for (GroupRecord& group : report.groups) {
    if (group.standing.is_withheld()) {
      for (auto* number : {&group.samples_per_sec, &group.step_time_s, &group.slowest,
                           &group.fastest, &group.ci95.low, &group.ci95.high}) {
        other(*number);
      }
    }
    if (is_disturbed(group.standing) && group.variance) group.variance->between_runs *= 1.7;
  }
  for (ScalingTable& table : report.scaling) {
    for (ScalingRow& row : table.rows) {
      if (!row.standing.is_withheld()) continue;
      for (auto* number :
           {&row.speedup, &row.efficiency, &row.efficiency_ci95.low, &row.efficiency_ci95.high,
            &row.efficiency_lowest, &row.efficiency_highest, &row.at_least}) {
        other(*number);
      }
      if (row.loss_of_efficiency) row.loss_of_efficiency->communication *= 1.7;
      if (row.standing.reason == kinds::clocks_disagree.code) {
        row.samples_per_sec *= 1.7;
        other(row.step_time_s);
      }
      row.in_words += "!";
    }
  }
  for (EffectRecord& effect : report.effects) {
    if (!effect.standing.is_withheld()) continue;
    effect.ratio *= 1.7;
    other(effect.ratio_ci95.low);
    other(effect.ratio_ci95.high);
    effect.in_words += "!";
  }
  for (DataGap& gap : report.data_gaps) {
    if (gap.standing.is_withheld()) gap.lost_share *= 1.7;
  }
  const std::set<std::string> without_ground = groundless(report);
  for (Straggler& rank : report.stragglers) {
    if (without_ground.contains(rank.group)) rank.deviation *= 1.7;
  }
  if (report.drift && report.drift->standing.is_withheld()) report.drift->per_sweep *= 1.7;
  return report;
}

using Form = std::pair<std::string, std::function<std::string(const Report&)>>;

// Every form for people, and the commands that read reports.
std::vector<Form> forms_for_people() {
  std::vector<Form> forms;
  for (const int columns : {44, 80, 120}) {
    forms.emplace_back("answer", [columns](const Report& report) {
      return render_answer({&report, 1}, {"results/runs/a"}, {.columns = columns});
    });
  }
  forms.emplace_back("details", [](const Report& report) { return render_console({&report, 1}); });
  for (const Format format : {Format::kTable, Format::kMarkdown, Format::kHtml, Format::kJunit}) {
    forms.emplace_back(format_name(format), [format](const Report& report) {
      std::string text = render(format, {&report, 1});
      return text;
    });
  }
  forms.emplace_back("svg", [](const Report& report) {
    std::string text;
    for (const RenderedFile& file : render_files(Format::kSvg, {&report, 1})) {
      text += file.name + "\n" + file.text;
    }
    return text;
  });
  forms.emplace_back("explain", [](const Report& report) {
    return explanation_text(explain(for_people(report), {}, {}), Terminal());
  });
  for (const bool details : {false, true}) {
    forms.emplace_back("compare", [details](const Report& report) {
      const std::vector<ComparedSide> sides{{{"a", sweep_with(mishaps()[0], 1)}}, {{"b", report}}};
      return comparison_text(compare_sides(sides, {}), Terminal(), details);
    });
  }
  forms.emplace_back("lint", [](const Report& report) {
    const auto linted = lint::lint_report(report, "a");
    std::string text;
    for (const lint::Finding& one : linted.findings) text += one.text + "\n";
    return text + std::to_string(linted.table.rows.size());
  });
  return forms;
}

TEST(Judge, FormsForPeopleDoNotDependOnWhatIsWithheld) {
  int reports = 0, withheld = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    for (const Mishap& mishap : mishaps()) {
      const Report report = sweep_with(mishap, seed), other = with_others(report);
      const bool differs = to_json(report) != to_json(other);
      EXPECT_EQ(differs, mishap.withholds) << mishap.name;
      ++reports;
      withheld += differs;
      if (!differs) continue;
      for (const auto& [name, text_of] : forms_for_people()) {
        EXPECT_TRUE(text_of(report) == text_of(other)) << mishap.name << ", " << name;
      }
      if (::testing::Test::HasFailure()) return;
    }
  }
  EXPECT_EQ(reports, 400);
  EXPECT_GE(withheld, 200);
}

// The test above sees each reader that goes around the judged form.
TEST(Judge, AReaderThatGoesAroundTheJudgedFormIsSeen) {
  const Report report = sweep_with(mishaps()[2], 1), other = with_others(report);
  const std::vector<Form> around{{"answer",
                                  [](const Report& raw) {
                                    return answers_of({&raw, 1}, {}, Terminal());
                                  }},
                                 {"md",
                                  [](const Report& raw) {
                                    return render_markdown({&raw, 1});
                                  }},
                                 {"html",
                                  [](const Report& raw) {
                                    return render_html({&raw, 1});
                                  }},
                                 {"svg",
                                  [](const Report& raw) {
                                    return render_figures({&raw, 1}).front().text;
                                  }},
                                 {"explain", [](Report raw) {
                                    for (ScalingTable& table : raw.scaling)
                                      for (ScalingRow& row : table.rows) row.standing = {};
                                    return explanation_text(explain(raw, {}, {}), Terminal());
                                  }}};
  for (const auto& [name, text_of] : around) EXPECT_NE(text_of(report), text_of(other)) << name;
}

// Without line ends and indents, as a wide terminal would show it, and without Markdown's escapes;
// in small letters.
std::string on_one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const bool is_space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (c == '\\' || (is_space && (line.empty() || line.back() == ' '))) continue;
    line += is_space ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return line;
}

// One string says in every form what a row reached, whether it may be quoted, why, and what then.
TEST(Judge, FormsForPeopleSayTheSame) {
  int rows = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (const Mishap& mishap : mishaps()) {
      const Report report = for_people(sweep_with(mishap, seed));
      const Terminal wide{.columns = 1000};
      const std::string answer = on_one_line(render_answer({&report, 1}, {"a"}, wide));
      const std::string details = on_one_line(render_console({&report, 1}));
      const std::string markdown = on_one_line(render(Format::kMarkdown, {&report, 1}));
      const std::string quoting = quoting_in_words(report);
      for (const std::string* text : {&details, &markdown}) {
        EXPECT_NE(text->find(on_one_line(quoting)), std::string::npos) << quoting << "\n" << *text;
      }
      EXPECT_NE(answer.find(quoting_words(report.verdict->level)), std::string::npos) << answer;
      for (const ScalingTable& table : report.scaling) {
        for (const ScalingRow& row : table.rows) {
          if (!row.speedup || row.strategy == "none" || row.world_size < 2) continue;
          const std::string reached = on_one_line(scaling_in_words(row));
          const std::string explained =
              on_one_line(explanation_text(explain(report, {}, {.group = row.group}), wide));
          EXPECT_TRUE(explained.starts_with(reached)) << reached << "\n" << explained;
          EXPECT_NE(explained.find(quoting), std::string::npos) << explained;
          EXPECT_NE(answer.find(" " + speed_up_text(row) + " " + efficiency_text(row, " %")),
                    std::string::npos)
              << answer;
          const bool is_widest = &row == &table.rows.back();
          for (const std::string* text : {&details, &markdown}) {
            EXPECT_NE(text->find(" " + speed_up_text(row) + " "), std::string::npos) << *text;
            if (!is_widest) continue;
            EXPECT_NE(text->find(reached), std::string::npos) << *text;
          }
          ++rows;
        }
      }
      if (::testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GE(rows, 50);
}

// Three fit runs are enough: their point's numbers are shown, with a mark.
TEST(Judge, ShowsWithCareWhereEnoughRunsWereFit) {
  const Report report = sweep_with(mishaps()[8], 1);
  for (const ScalingTable& table : report.scaling) {
    for (const ScalingRow& row : table.rows) {
      if (!row.efficiency) continue;
      EXPECT_EQ(row.standing.level, kShownWithCare) << row.group;
    }
  }
}

// A quiet report loses nothing.
TEST(Judge, WithholdsNothingOfAQuietReport) {
  for (const Mishap& mishap : mishaps()) {
    if (mishap.withholds) continue;
    const Report report = sweep_with(mishap, 7);
    for (const ScalingTable& table : report.scaling) {
      for (const ScalingRow& row : table.rows) EXPECT_FALSE(row.standing.is_withheld());
    }
    for (const Format format : {Format::kTable, Format::kMarkdown, Format::kHtml}) {
      EXPECT_TRUE(render(format, {&report, 1}) == render(format, {&report, 1}, Withheld::kMarked))
          << mishap.name << ", " << format_name(format);
    }
  }
}

TEST(Judge, MarksWhatIsWithheldForAnExpert) {
  const Report report = sweep_with(mishaps()[2], 1);
  const std::string marked = render_answer({&report, 1}, {}, {.columns = 200}, Withheld::kMarked);
  EXPECT_NE(marked.find(" (withheld)"), std::string::npos) << marked;
  const std::string shown = render_answer({&report, 1}, {}, {.columns = 200});
  EXPECT_NE(shown.find("withheld"), std::string::npos) << shown;
  EXPECT_EQ(shown.find("(withheld)"), std::string::npos) << shown;
}

// Forms for programs hold every number, with its standing beside it.
TEST(Judge, FormsForProgramsHoldTheStanding) {
  const Report report = sweep_with(mishaps()[2], 1);
  const std::string scaling = render(Format::kScaling, {&report, 1});
  EXPECT_NE(scaling.find(",standing,standing_reason,"), std::string::npos) << scaling;
  EXPECT_NE(scaling.find(",withheld,shared,"), std::string::npos) << scaling;
  EXPECT_NE(to_json(report).find(R"("standing": "withheld")"), std::string::npos);
}

// Two groups with enough fit runs together may be one with none.
TEST(Judge, EachGroupOfAConclusionNeedsFitRuns) {
  Report report = sample_sweep({.world_sizes = {1, 2}, .batch_sizes = {64}, .repetitions = 5});
  ASSERT_FALSE(report.data_gaps.empty());
  const std::string real = report.data_gaps.front().real_group;
  for (const PointRecord& run : report.points) {
    if (run.group == real) report.findings.push_back(make_finding(kinds::shared, run.id));
  }
  report.findings.push_back(make_finding(kinds::data_gap, "", {{"group", real}, {"lost", 0.4321}}));
  judge(report);
  EXPECT_TRUE(report.data_gaps.front().standing.is_withheld());
  for (const auto& [name, text_of] : forms_for_people()) {
    EXPECT_EQ(text_of(report).find("real data costs"), std::string::npos) << name;
  }
  Report comm = sample_collectives();
  ASSERT_FALSE(comm.collective_fits.empty());
  const auto backend = [](const CollectiveFit& fit) { return fit.fixed.at("backend"); };
  for (CollectiveRecord& run : comm.collectives) {
    if (run.backend == "gloo") run.disturbed = "shared: others used 1.4 CPUs";
  }
  judge(comm);
  for (const CollectiveFit& fit : comm.collective_fits) {
    EXPECT_EQ(fit.standing.is_withheld(), backend(fit) == "gloo") << fit.in_words;
    EXPECT_EQ(fit.standing.reason == kinds::shared.code, backend(fit) == "gloo") << fit.in_words;
  }
}

// A report of before may name a rank or a link from runs that something disturbed.
TEST(Judge, NamesNoPartFromDisturbedRuns) {
  for (const bool is_disturbed : {false, true}) {
    Report report = sweep_with(mishaps()[is_disturbed ? 2 : 0], 1);
    const std::string group = report.scaling.front().rows.back().group;
    report.stragglers = {{.group = group, .rank = 1, .host = "bad-rank", .deviation = 0.4321}};
    report.stragglers.front().verdict = RankVerdict::kStraggler;
    report.findings.push_back(make_finding(kinds::straggler, "",
                                           {{"by", 0.4321}, {"points", group}},
                                           FindingPlace{.rank = 1, .host = "bad-rank"}));
    report.findings.push_back(make_finding(kinds::slow_node, "",
                                           {{"node", "bad-link"},
                                            {"size", "large"},
                                            {"ratio", 4.321},
                                            {"low", 4},
                                            {"high", 5},
                                            {"like", "node's"}}));
    judge(report);
    for (const auto& [name, text_of] : forms_for_people()) {
      for (const char* part : {"bad-rank", "bad-link"}) {
        if (!is_disturbed) continue;
        EXPECT_EQ(text_of(report).find(part), std::string::npos) << name << "\n" << text_of(report);
      }
    }
    const std::string details = render_console({&report, 1});
    EXPECT_EQ(details.find("bad-rank") != std::string::npos, !is_disturbed) << details;
    EXPECT_EQ(details.find("bad-link") != std::string::npos, !is_disturbed) << details;
  }
}

TEST(Judge, AShareOfABoundNeedsAnUndisturbedRun) {
  Report report = sample_collectives();
  for (CollectiveGroup& group : report.collective_groups) {
    group.expected_busbw_GBps = 1;
    group.expected_share.value = 2.37;
  }
  for (CollectiveRecord& run : report.collectives) run.disturbed = "shared: others used 1.4 CPUs";
  const Report shown = for_people(report);
  for (const CollectiveGroup& group : shown.collective_groups) {
    if (group.n == 0) continue;
    EXPECT_FALSE(group.expected_share.value);
    EXPECT_TRUE(is_disturbed(group.standing));
  }
  EXPECT_EQ(render_answer({&report, 1}, {}, Terminal()).find("237"), std::string::npos);
  // No finding reports it, but the verdict does; earlier words have no code.
  report.collectives.front().disturbed = "others used 1.4 CPUs";
  judge(report);
  EXPECT_EQ(report.verdict->level, VerdictLevel::kDoNotQuote);
  EXPECT_EQ(report.verdict->reasons.front().code, kinds::shared.code);
  EXPECT_TRUE(groundless(report).contains(report.collectives.front().group));
}

// Whatever a report says of itself: one of before, or one that somebody has edited.
TEST(Judge, NothingThatIsConcludedFromDisturbedRunsIsLeft) {
  Report report = sweep_with(mishaps()[2], 1);
  for (EffectRecord& effect : report.effects) {
    effect.verdict = statistics::EffectVerdict::kReal;
    effect.standing = {};
  }
  report.predictions = {{.slice = "s", .world_size = 16, .samples_per_sec = 77}};
  report.tuning = {{.axis = "workers", .in_words = "fastest: workers 4"}};
  report.communication_limits = {{.axis = "batch_size", .share = 0.3, .in_words = "stays small"}};
  report.claims = {{.row = "r1", .measured = 7.77, .verdict = ClaimVerdict::kConfirmed}};
  for (ScalingTable& table : report.scaling) {
    for (ScalingRow& row : table.rows) row.standing = {.level = kShown, .reason = ""};
  }
  const Report shown = for_people(report);
  for (const EffectRecord& effect : shown.effects) {
    EXPECT_TRUE(effect.standing.is_withheld());
    EXPECT_EQ(effect.ratio, 1);
    EXPECT_EQ(effect.verdict, statistics::EffectVerdict::kDisturbed);
  }
  for (const ScalingTable& table : shown.scaling) {
    for (const ScalingRow& row : table.rows) EXPECT_FALSE(row.speedup);
  }
  EXPECT_TRUE(shown.predictions.empty());
  EXPECT_TRUE(shown.tuning.empty());
  EXPECT_TRUE(shown.communication_limits.empty());
  EXPECT_TRUE(shown.devices.empty());
  EXPECT_FALSE(shown.fastest);
  EXPECT_EQ(shown.claims.front().verdict, ClaimVerdict::kUndecided);
  // The verdict keeps its level and the reason that is left.
  ASSERT_TRUE(shown.verdict);
  EXPECT_EQ(shown.verdict->level, VerdictLevel::kDoNotQuote);
  EXPECT_EQ(shown.verdict->reasons.front().code, kinds::shared.code);
  for (const Format format : {Format::kMarkdown, Format::kTable}) {
    std::string text = render(format, {&report, 1});
    std::ranges::transform(text, text.begin(), [](char c) { return std::tolower(c); });
    EXPECT_NE(text.find("do not quote: "), std::string::npos) << text;
  }
}

TEST(Judge, NamesTheReasonAndTheCommandThatRepeats) {
  Report report = sweep_with(mishaps()[2], 1);
  report.invocation.command_line =
      "scalemark sweep --workload mlp --output 'my folder' --overwrite --world-sizes 1,2";
  judge(report);
  const std::string text = explanation_text(explain(for_people(report), {}, {}), {.columns = 200});
  EXPECT_TRUE(text.starts_with("what 2 ranks give is withheld: ")) << text;
  EXPECT_NE(text.find("scalemark sweep --workload mlp --world-sizes 1,2\n"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("--workers"), std::string::npos) << text;
}

}  // namespace
}  // namespace scalemark::reporting
