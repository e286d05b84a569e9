// The short answer: how many lines and columns it takes, that each fact stands once, and what it
// says of reports whose truth is known.
#include "report/say/render/answer/answer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <span>
#include <sstream>

#include "core/base/number_words.h"
#include "report/record/finding_kinds.h"
#include "report/record/report_json.h"
#include "report/record/surety.h"
#include "report/record/verdict.h"
#include "report/say/render/render.h"
#include "report/say/words/words.h"
#include "tests/report/sample_collectives.h"
#include "tests/report/sample_report.h"
#include "tests/report/sample_slices.h"
#include "tests/report/sample_sweep.h"

namespace scalemark::reporting {
namespace {

std::vector<std::string> lines_of(const Report& report, int columns = 78) {
  Terminal terminal;
  terminal.columns = columns;
  std::istringstream text(render_answer({&report, 1}, {"results/runs/a"}, terminal));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

std::string text_of(const Report& report, int columns = 78) {
  std::string text;
  for (const std::string& line : lines_of(report, columns)) text += line + "\n";
  return text;
}

bool says(const Report& report, const std::string& words) {
  return text_of(report, 400).find(words) != std::string::npos;
}

SweepShape small(int repetitions) {
  return {.world_sizes = {1, 2},
          .batch_sizes = {64},
          .repetitions = repetitions,
          .slow_rank = std::nullopt,
          .real_data = false};
}

std::size_t widest(const std::vector<std::string>& lines) {
  return std::ranges::max(lines, {}, &std::string::size).size();
}

TEST(Answer, OfAQuickSweepHasFifteenLinesOf78Columns) {
  Report report = sample_sweep(small(1));
  report.invocation.command_line = "scalemark sweep --quick";
  const auto lines = lines_of(report);
  EXPECT_LE(lines.size(), 15u) << text_of(report);
  EXPECT_LE(widest(lines), 78u) << text_of(report);
  EXPECT_TRUE(says(report, "one run each")) << text_of(report);
  EXPECT_TRUE(says(report, "with intervals  scalemark sweep\n")) << text_of(report);
}

TEST(Answer, OfFourteenPointsHas25Lines) {
  Report report = sample_sweep({.world_sizes = {1, 2, 4}, .batch_sizes = {64, 128, 256}});
  ASSERT_GE(report.groups.size(), 14u);
  const auto lines = lines_of(report);
  EXPECT_LE(lines.size(), 25u) << text_of(report);
  EXPECT_LE(widest(lines), 78u) << text_of(report);
}

TEST(Answer, OfARunHasFourLinesAndNamesItsReport) {
  Report report = sample_report(1, true);
  report.groups.clear();
  report.collectives.clear();  // `comm` made them, and one of them failed
  report.findings.clear();
  report.points.resize(1);
  EXPECT_LE(lines_of(report, 120).size(), 2u + 2u + 3u) << text_of(report, 120);
  // It has no effort before the words of the verdict.
  const std::string whole = text_of(report, 200);
  EXPECT_EQ(whole.find(" , "), std::string::npos) << whole;
  EXPECT_NE(whole.find("quot"), std::string::npos) << whole;
}

TEST(Answer, FitsEveryWidthAndBreaksNoWord) {
  for (const Report& report :
       {sample_sweep(small(1)), sample_sweep(small(5)), sample_sweep({}), sample_collectives()}) {
    for (const int columns : {60, 80, 120}) {
      // A command stands in one line, to be copied; a table is as wide as its cells.
      for (const std::string& line : lines_of(report, columns)) {
        const bool is_prose = line.starts_with("!") || line.starts_with("  ");
        if (is_prose && line.find("  ", 2) == std::string::npos) {
          EXPECT_LE(line.size(), static_cast<std::size_t>(columns)) << line;
        }
      }
    }
  }
}

TEST(Answer, SaysEachFactOnce) {
  for (Report report : {sample_sweep(small(1)), sample_sweep(small(5)), sample_collectives()}) {
    auto lines = lines_of(report, 200);
    std::erase(lines, "");
    auto unique = lines;
    std::ranges::sort(unique);
    EXPECT_EQ(std::ranges::adjacent_find(unique), unique.end()) << text_of(report);
    const std::string text = text_of(report, 200);
    const auto first = text.find("one run");
    if (first == std::string::npos) continue;
    EXPECT_EQ(text.find("one run each", first + 1), std::string::npos);
  }
}

TEST(Answer, HasNoExponents) {
  Report report = sample_sweep(small(5));
  for (GroupRecord& group : report.groups) *group.samples_per_sec *= 1e9;
  report.scaling.front().rows.back().efficiency_ci95.low = 1e-7;
  Report run = sample_report(1, true);
  run.groups.clear();
  run.points.resize(1);
  run.points[0].loss_last = 4.2e-7;
  for (const Report& one : {report, run}) {
    EXPECT_FALSE(std::regex_search(text_of(one), std::regex("[0-9]e[+-]?[0-9]"))) << text_of(one);
  }
}

// The forms of a report that show an efficiency: the answer, details and sentences, Markdown, the
// page and CSV.
std::vector<std::string> forms_of(const Report& report) {
  const std::span<const Report> one(&report, 1);
  return {text_of(report, 400), render_console(one), render_markdown(one), render_html(one)};
}

Report with_efficiency(int repetitions, double low, double value, double high) {
  Report report = sample_sweep(small(repetitions));
  for (ScalingRow& row : report.scaling.front().rows) {
    if (!row.efficiency) continue;
    row.efficiency = value;
    row.speedup = 2 * value;
    row.efficiency_ci95.low = low;
    row.efficiency_ci95.high = high;
  }
  return report;
}

TEST(Surety, AWideIntervalIsShownWithAMarkedValueInEveryForm) {
  const Report report = with_efficiency(3, 0.077, 0.494, 4.57);
  for (const std::string& text : forms_of(report)) {
    EXPECT_NE(text.find("~49"), std::string::npos) << text;
    EXPECT_NE(text.find("457"), std::string::npos) << text;
  }
  EXPECT_TRUE(says(report, "~1.0  ~49 %  (8 to 457)")) << text_of(report);
  EXPECT_NE(render_scaling({&report, 1}).find(",wide\r\n"), std::string::npos);
}

TEST(Surety, AnIntervalThatSaysNothingIsWithheldAndTheValueIsNot) {
  const Report report = with_efficiency(2, 0.004, 0.494, 61);
  for (const std::string& text : forms_of(report)) {
    EXPECT_NE(text.find("~49"), std::string::npos) << text;
    EXPECT_NE(text.find("not known (2 runs)"), std::string::npos) << text;
    EXPECT_EQ(text.find("to 6,100"), std::string::npos) << text;
    EXPECT_EQ(text.find("to 6100"), std::string::npos) << text;
  }
  EXPECT_NE(render_scaling({&report, 1}).find(",not_known\r\n"), std::string::npos);
}

TEST(Surety, OneRunHasAValueAndNoPlusMinus) {
  const Report report = sample_sweep(small(1));
  for (const std::string& text : {text_of(report, 400), render_console({&report, 1})}) {
    EXPECT_EQ(text.find("+-"), std::string::npos) << text;
    EXPECT_NE(text.find("one run"), std::string::npos) << text;
  }
  EXPECT_TRUE(std::regex_search(text_of(report, 400), std::regex("[0-9] %  one run\n")))
      << text_of(report, 400);
  EXPECT_NE(render_scaling({&report, 1}).find(",one_run\r\n"), std::string::npos);
}

// The same machine is measured for longer: no form may say less for it.
TEST(Surety, MoreRunsNeverHideAValue) {
  for (const int repetitions : {1, 2, 3, 5}) {
    SweepShape shape = small(repetitions);
    shape.run_noise = 0.15;
    const Report report = sample_sweep(shape);
    for (const ScalingRow& row : report.scaling.front().rows) {
      if (!row.efficiency) continue;
      const std::string value = has_two_digits(row) ? two_digits(100 * *row.efficiency)
                                                    : with_decimals(100 * *row.efficiency, 0);
      EXPECT_TRUE(says(report, value + " %")) << repetitions << "\n" << text_of(report, 400);
    }
  }
}

TEST(Surety, OfAnEffectIsAsOfARow) {
  EffectRecord effect;
  effect.pairs = 1;
  effect.ratio = 1.1;
  EXPECT_EQ(speed_text(effect), "10.0 % faster (one run)");
  effect.pairs = 2;
  effect.ratio_ci95 = {0.5, 2.42};
  EXPECT_EQ(speed_text(effect), "about 10.0 % faster (2.0 x slower to 2.4 x faster)");
  effect.ratio_ci95 = {0.05, 24.2};
  EXPECT_EQ(speed_text(effect), "about 10.0 % faster (not known (2 pairs))");
}

TEST(Answer, ABaselineHasNoEfficiency) {
  const Report report = sample_sweep(small(5));
  for (const ScalingTable& table : report.scaling) {
    for (const ScalingRow& row : table.rows) {
      EXPECT_EQ(row.efficiency.has_value(), row.points != table.baseline_points);
    }
  }
  EXPECT_TRUE(std::regex_search(text_of(report), std::regex("1, no exchange +[0-9,]+ +baseline")))
      << text_of(report);
}

// A sweep that was stopped within a block, and went on: the block's runs are of two sessions.
TEST(Answer, OfABlockInTwoSessionsSaysThatTheBaselineIsOfAnother) {
  Report report = sample_sweep(small(1));
  for (PointRecord& run : report.points) run.session = run.world_size == 1 ? 0 : 1;
  summarise(report);
  report.invocation.command_line = "scalemark sweep --repetitions 1";
  EXPECT_FALSE(says(report, "no baseline")) << text_of(report);
  EXPECT_TRUE(says(report, "baseline of another session")) << text_of(report);
  EXPECT_TRUE(says(report, "to be surer  scalemark sweep --repetitions 5\n")) << text_of(report);
}

TEST(Answer, OfOnePairThatIsBeyondTheIdealIsNotKnown) {
  Report report = sample_sweep(small(1));
  for (ScalingRow& row : report.scaling.front().rows) {
    if (!row.efficiency) continue;
    row.efficiency = 1.47;
    row.speedup = 2 * *row.efficiency;
  }
  for (const std::string& text : forms_of(report)) {
    EXPECT_EQ(text.find("147 %"), text.npos) << text;
    EXPECT_NE(text.find("not known (1 run)"), text.npos) << text;
  }
}

TEST(Answer, WithoutOneRankSaysWhatEfficiencyIsRelativeTo) {
  SweepShape shape = small(5);
  shape.world_sizes = {2, 4};
  Report report = sample_sweep(shape);
  std::erase_if(report.points, [](const PointRecord& run) { return run.world_size == 1; });
  summarise(report);
  EXPECT_TRUE(says(report, "efficiency relative to 2 ranks")) << text_of(report);
}

TEST(Answer, ASlowPartStandsBeforeEverythingElse) {
  SweepShape shape{.world_sizes = {1, 8}, .batch_sizes = {64}, .slow_rank = 5, .real_data = false};
  const Report report = sample_sweep(shape);
  const auto lines = lines_of(report, 200);
  ASSERT_FALSE(lines.empty());
  EXPECT_TRUE(lines[0].starts_with("!! rank 5 (gpu-node-07, cuda:5) needs ")) << lines[0];
  const auto found = std::ranges::find(report.findings, "straggler", &Finding::code);
  ASSERT_NE(found, report.findings.end());
  EXPECT_EQ(found->place->rank, 5);
  EXPECT_EQ(found->place->host, "gpu-node-07");
  EXPECT_EQ(found->domain, "hardware");
}

// Thirty rows, the best and the worst, and where the others are.
TEST(Answer, OfManyPointsShowsThirty) {
  SweepShape shape{
      .world_sizes = {1, 2, 4, 8}, .repetitions = 1, .solo = false, .real_data = false};
  shape.batch_sizes.clear();
  for (int batch = 1; batch <= 40; ++batch) shape.batch_sizes.push_back(batch);
  shape.out_of_memory_from = 1 << 20;
  const Report report = sample_sweep(shape);
  EXPECT_LE(lines_of(report).size(), 45u);
  EXPECT_TRUE(says(report, " more rows  scalemark report results/runs/a --details"))
      << text_of(report);
}

// Once, at the ranks that somebody asks about; not of single runs, nor of what must not be quoted.
TEST(Answer, SaysFromWhichBatchOnCommunicationIsSmall) {
  SweepShape shape{.world_sizes = {1, 2, 4}, .slow_rank = std::nullopt, .real_data = false};
  Report report = sample_sweep(shape);
  ASSERT_EQ(report.communication_limits.size(), 4u) << "of 2 and 4 ranks, each 30 and 10 %";
  const auto limits_said = [&] {
    std::vector<std::string> words;
    for (const CommunicationLimit& limit : report.communication_limits) {
      if (says(report, limit.in_words)) words.push_back(limit.in_words);
    }
    return words;
  };
  CommunicationLimit& thirty = report.communication_limits.at(2);
  ASSERT_TRUE(thirty.share > 0.2 && thirty.fixed.at("world_size") == "4");
  thirty.from = 128;
  thirty.in_words = "communication stays below 30 % of a step from batch 128 on (4 ranks)";
  EXPECT_EQ(limits_said(), std::vector{thirty.in_words}) << text_of(report);
  for (CommunicationLimit& limit : report.communication_limits) limit.from = limit.smallest;
  EXPECT_TRUE(limits_said().empty()) << "always below: there is no such batch";
  thirty.from = 128;
  Finding disturbed;
  disturbed.code = finding_kinds::mfu_implausible.code;
  disturbed.severity = "error";
  report.findings.push_back(disturbed);
  ASSERT_EQ(verdict_of(report)->level, VerdictLevel::kDoNotQuote);
  EXPECT_FALSE(says(report, "of a step"));
  shape.repetitions = 1;
  report = sample_sweep(shape);
  EXPECT_FALSE(report.communication_limits.empty());
  EXPECT_FALSE(says(report, "of a step"));
}

TEST(Answer, SaysWhatComparedStrategiesAndCompressionsSend) {
  std::vector<PointRecord> points = sample_sweep(small(3)).points;
  const auto add = [&](const char* strategy, const char* compression, double bytes) {
    for (PointRecord run : std::vector(points)) {
      if (run.world_size != 2 || run.strategy != "ddp" || run.gradient_compression == "bf16")
        continue;
      run.strategy = strategy;
      run.gradient_compression = compression;
      run.group += std::string("-") + strategy + compression;
      run.id = run.group + "/r" + std::to_string(run.block);
      run.payload_bytes_per_step = bytes;
      points.push_back(run);
    }
  };
  EXPECT_FALSE(says(summarised(points), "payload")) << "one strategy";
  add("ddp", "bf16", 51e6);
  EXPECT_TRUE(says(summarised(points), "payload a step: ddp 97.5 MiB, ddp bf16 48.6 MiB\n"))
      << text_of(summarised(points), 200);
  add("flat", "none", 102.4e6);
  const std::string all =
      "payload a step: ddp 97.5 MiB, ddp bf16 48.6 MiB, "
      "flat 97.7 MiB\n";
  EXPECT_TRUE(says(summarised(points), all)) << text_of(summarised(points), 200);
  std::erase_if(points, [](const PointRecord& run) { return run.gradient_compression == "bf16"; });
  EXPECT_TRUE(says(summarised(points), "payload a step: ddp 97.5 MiB, flat 97.7 MiB\n"))
      << text_of(summarised(points), 200);
}

TEST(Answer, OfSeveralRanksSaysTheTimeOfEachAndOfAll) {
  Report report = sample_report(2, true);
  report.groups.clear();
  report.points.resize(1);
  ASSERT_EQ(report.points.front().world_size, 2);
  report.points.front().wall_s = 45.5;
  EXPECT_TRUE(says(report, "measured time: 45.5 s per rank, 91.0 s in all\n")) << text_of(report);
}

TEST(Answer, OfCollectivesHasALineForEachSize) {
  const Report report = sample_collectives();
  std::size_t measured = 0;
  for (const CollectiveGroup& group : report.collective_groups) measured += group.n > 0;
  const Answer answer = answer_of(report, "");
  ASSERT_FALSE(answer.table.empty());
  EXPECT_EQ(answer.table.front().cells.size(), std::min(measured, kMostRows));
}

TEST(Answer, ColoursOnlyWhereThereAreSome) {
  const Report report = sample_sweep(small(1));
  Terminal terminal;
  EXPECT_EQ(render_answer({&report, 1}, {}, terminal).find('\x1b'), std::string::npos);
  terminal.colour = true;
  EXPECT_NE(render_answer({&report, 1}, {}, terminal).find("\x1b[1m"), std::string::npos);
}

Report run_on_files() {
  Report report = sample_report(1, true);
  report.groups.clear();
  report.collectives.clear();
  report.findings.clear();
  report.points.resize(1);
  report.points.front().data = "photos";
  return report;
}

TEST(Answer, OfARunNamesItsReportAndTheNextCommand) {
  const Report report = run_on_files();
  EXPECT_TRUE(says(report, "report   results/runs/a/report.json\n")) << text_of(report);
  EXPECT_TRUE(says(report, "details  scalemark report results/runs/a --details\n"));
}

// A command that is not installed here is printed with what installs it.
TEST(Answer, OfEventsSaysWhereTensorBoardComesFrom) {
  const Report report = run_on_files();
  const auto told = [&](bool is_here) {
    return render_answer({&report, 1}, {"results/runs/a"}, Terminal(), Withheld::kLeftOut,
                         {.events = "my events", .has_tensorboard = is_here});
  };
  const std::string missing = told(false), there = told(true);
  EXPECT_NE(
      missing.find("TensorBoard (pip install tensorboard)  tensorboard --logdir 'my events'\n"),
      std::string::npos)
      << missing;
  EXPECT_NE(there.find("TensorBoard  tensorboard --logdir 'my events'\n"), std::string::npos)
      << there;
}

// A folder may look like an option, or act on a terminal; the printed command still names it.
TEST(Answer, OfARunNamesAnyFolderAsOneWord) {
  const Report report = run_on_files();
  const auto told = [&](const std::string& folder) {
    return render_answer({&report, 1}, {folder}, Terminal());
  };
  EXPECT_NE(told("-dash").find("scalemark report ./-dash --details\n"), std::string::npos);
  EXPECT_NE(told("a b").find("report   'a b/report.json'\n"), std::string::npos) << told("a b");
  EXPECT_EQ(told("a\x1b[31m\nb").find('\x1b'), std::string::npos);
}

TEST(Answer, OfARunWhoseLossRoseSaysSo) {
  Report report = run_on_files();
  EXPECT_FALSE(says(report, "the loss rose")) << text_of(report);
  report.points.front().loss_last = 10 * *report.points.front().loss_first;
  EXPECT_TRUE(says(report, "! the loss rose")) << text_of(report);
}

// Typed alone, the command of two ranks of torchrun would start one.
TEST(Answer, RepeatsARunByTheLauncherThatStartedIt) {
  Report report = run_on_files();
  report.invocation.command_line = "scalemark train --iters 4 --output a --tensorboard 'e v'";
  report.invocation.launcher_command.clear();
  report.environment.hosts.resize(1);
  const std::string alone = "scalemark train --iters 4";
  for (const auto& [launcher, line] : std::map<std::string, std::string>{
           {"local", alone},
           {"torch", "torchrun --nproc-per-node 2 --no-python " + alone},
           {"slurm", "srun --nodes 1 --ntasks 2 " + alone},
           {"openmpi", "mpirun -n 2 " + alone}}) {
    report.invocation.launcher = launcher;
    report.points.front().world_size = 2;
    EXPECT_EQ(repeat_command(report), line);
    report.points.front().world_size = 1;
    EXPECT_EQ(repeat_command(report), alone) << launcher;
  }
  // Nothing tells on which hosts these ranks were.
  report.environment.hosts.resize(2);
  report.points.front().world_size = 2;
  report.invocation.launcher = "openmpi";
  EXPECT_EQ(repeat_command(report), "mpirun -n 2 ... " + alone);
  report.invocation.launcher_command = "mpirun -n 2 --host a,b -x 'A=1 $(2)'";
  EXPECT_EQ(repeat_command(report), "mpirun -n 2 --host a,b -x 'A=1 $(2)' " + alone);
  report.invocation.launcher_command = "mpirun -H a,b; reboot";
  EXPECT_EQ(repeat_command(report), "mpirun -H 'a,b;' reboot " + alone) << "quoted anew";
  report.invocation.command_line += " --hostfile hosts";
  EXPECT_EQ(repeat_command(report), alone + " --hostfile hosts") << "becomes a mpirun itself";
}

// Random labels are learnt by heart, or a recipe for real ones diverges: 0 and 72.5 look broken.
TEST(Answer, OfMadeUpDataHasNoLoss) {
  Report report = run_on_files();
  EXPECT_TRUE(says(report, "  loss ")) << text_of(report);
  report.points.front().data = "synthetic";
  EXPECT_FALSE(says(report, "loss")) << text_of(report);
}

std::string others(std::span<const Report> reports) {
  return std::to_string(reports.size()) + " of theirs";
}

TEST(Answer, SaysWhatOthersReachedBelowTheTable) {
  std::vector<Report> reports(3, run_on_files());
  reports.front() = sample_sweep(small(3));
  const std::string text =
      render_answer(reports, {}, Terminal(), Withheld::kLeftOut, {.published = others});
  EXPECT_NE(text.find("\n1 of theirs\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n2 of theirs\n"), std::string::npos) << "runs share an answer\n" << text;
}

TEST(Answer, OfAnInterruptedRunSaysSoOnce) {
  Report report = sample_sweep(small(3));
  report.status = ReportStatus::kInterrupted;
  report.errors.push_back({.what = "stopped by signal 2 before the run was complete"});
  EXPECT_FALSE(says(report, "signal 2")) << text_of(report);
  EXPECT_TRUE(says(report, "did not come to its end (interrupted)")) << text_of(report);
  report.status = ReportStatus::kFailed;
  EXPECT_TRUE(says(report, "signal 2")) << text_of(report);
}

// A report of single runs may hold several, and a sweep beside them has a table of its own.
TEST(Answer, OfSeveralReportsSaysWhichRowsAreWhose) {
  Report two = sample_report(2, true), one = sample_report(1, true);
  for (Report* report : {&two, &one}) {
    report->groups.clear();
    report->points.resize(1);
  }
  two.points.push_back(two.points.front());
  one.verdict.reset();
  Finding finding;
  finding.code = finding_kinds::mfu_implausible.code;
  finding.severity = "error";
  one.findings = {finding};
  const std::vector<Report> reports{sample_sweep(small(1)), two, one};
  const std::string text = render_answer(reports, {"sweep", "runs/a", "b.json"}, Terminal());
  EXPECT_NE(text.find("\nrows 1 to 2: runs/a; row 3: b.json\n"), std::string::npos) << text;
  EXPECT_NE(text.find("! row 3: "), std::string::npos) << text;
  EXPECT_NE(text.find("scalemark explain sweep\n"), std::string::npos) << text;
}

TEST(Answer, OfSeveralReportsSaysOnceWhatIsTrueOfManyRows) {
  Report run = sample_report(1, true);
  run.groups.clear();
  run.points.resize(1);
  Finding error;
  error.code = finding_kinds::mfu_implausible.code;
  error.severity = "error";
  error.text = "too fast";
  Report bad = run;
  bad.findings = {error};
  std::vector<Report> reports(7, bad);
  reports[2] = run;
  const std::string text =
      render_answer(reports, std::vector<std::string>(7, "r.json"), Terminal());
  EXPECT_NE(text.find("! rows 1 to 2 and 4 to 7: too fast in 1 of 2 runs: do not quote\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("! row 3: "), std::string::npos) << text;
  EXPECT_NE(text.find("! rows 1 to 2 and 4 to 7: scalemark 0"), std::string::npos)
      << "its verdict of then was another one\n"
      << text;
}

TEST(Answer, CommandsNameTheFolderOfAReport) {
  const Report report = sample_sweep(small(1));
  const auto text_at = [&](const std::string& place) {
    return render_answer({&report, 1}, {place}, Terminal());
  };
  EXPECT_NE(text_at("a/report.json").find("a/report.html"), std::string::npos);
  EXPECT_NE(text_at("report.json").find("./report.html"), std::string::npos);
  EXPECT_EQ(text_at("a/old.json").find("report.html"), std::string::npos);
}

TEST(Answer, OfNothingSaysSo) { EXPECT_EQ(text_of(Report()), "nothing was measured\n"); }

// --- The first numbers of the page.

TEST(FirstNumbers, SayWhatIsKnownAndWhyTheRestIsNot) {
  Report report = sample_sweep(small(3));
  const auto figures = [&] { return answer_of(for_people(report), "").figures; };
  ASSERT_EQ(figures().size(), 3u);
  EXPECT_TRUE(figures()[1].value.ends_with(" x")) << figures()[1].value;
  for (const PointRecord& run : report.points) {
    report.findings.push_back(
        make_finding(finding_kinds::shared, run.id, {{"others", 1.4}, {"cpus", 2}}));
  }
  summarise(report);
  ASSERT_EQ(figures().size(), 2u);
  EXPECT_TRUE(figures()[0].label.ends_with("/s on 2 ranks")) << figures()[0].label;
  EXPECT_EQ(figures()[1].value, "not known");
  EXPECT_TRUE(figures()[1].label.starts_with("speed-up on 2 ranks: ")) << figures()[1].label;
  EXPECT_GT(figures()[1].label.size(), 40u) << figures()[1].label;
}

// --- What something disturbed counts towards no verdict.

Report compared(int repetitions) {
  SweepShape shape{.world_sizes = {1, 2},
                   .batch_sizes = {64, 128},
                   .repetitions = repetitions,
                   .slow_rank = std::nullopt,
                   .solo = false,
                   .real_data = false};
  return sample_sweep(shape);
}

SummaryOptions comparing() {
  return {.comparisons = sample_comparisons({.world_sizes = {1, 2}, .batch_sizes = {64, 128}})};
}

// Others used the machine meanwhile.
void disturb(Report& report, const PointRecord& run) {
  report.findings.push_back(make_finding(finding_kinds::shared, run.id));
}

TEST(FitRuns, TooFewOfThemGiveNoVerdict) {
  Report report = compared(5);
  report.findings.clear();
  summarise(report, comparing());
  ASSERT_FALSE(report.effects.empty());
  EXPECT_EQ(report.effects[0].verdict, statistics::EffectVerdict::kReal);
  for (const PointRecord& run : report.points) disturb(report, run);
  summarise(report, comparing());
  EXPECT_EQ(report.effects[0].verdict, statistics::EffectVerdict::kDisturbed);
  EXPECT_EQ(report.effects[0].disturbed_by, "5 of 5 pairs");
  EXPECT_FALSE(report.effects[0].p_holm);
  EXPECT_NE(report.effects[0].in_words.find("stop what else runs there"), std::string::npos);
  EXPECT_FALSE(report.fastest);
}

TEST(FitRuns, EnoughOfThemAreJudgedWithoutTheOthers) {
  Report report = compared(5);
  report.findings.clear();
  for (PointRecord& run : report.points) {
    if (run.repetition > 1 || run.batch_size != 128) continue;
    run.samples_per_sec /= 10;  // a compiler ran beside it
    disturb(report, run);
  }
  summarise(report, comparing());
  for (const EffectRecord& effect : report.effects) {
    EXPECT_EQ(effect.pairs, 3);
    EXPECT_EQ(effect.verdict, statistics::EffectVerdict::kReal);
    EXPECT_GT(effect.ratio, 1);
  }
}

TEST(FitRuns, ASlowRankOfDisturbedRunsIsNotNamed) {
  SweepShape shape{.world_sizes = {1, 8},
                   .batch_sizes = {64},
                   .slow_rank = 5,
                   .solo = false,
                   .real_data = false};
  Report report = sample_sweep(shape);
  report.findings.clear();
  for (const PointRecord& run : report.points) disturb(report, run);
  summarise(report);
  EXPECT_TRUE(std::ranges::none_of(report.findings, blames_part));
  ASSERT_FALSE(report.stragglers.empty());
  EXPECT_EQ(report.stragglers[0].verdict, RankVerdict::kDisturbed);
}

}  // namespace
}  // namespace scalemark::reporting
