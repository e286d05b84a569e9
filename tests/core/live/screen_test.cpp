#include "core/live/screen.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "core/live/screen_tables.h"
#include "tests/core/live/made_run.h"

namespace scalemark::live {
namespace {

ShownRun shown(const TwoRecords& two, double age_s = 1) {
  return {.source = "results/runs/a",
          .status = two.now,
          .now = two.view(age_s),
          .lasted_s = 163,
          .problem = ""};
}

std::string drawn(const ShownRun& run, int columns, int rows) {
  return screen_text(std::vector{run}, {.is_terminal = true, .columns = columns, .rows = rows});
}

std::vector<std::string> lines_in(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) lines.push_back(line);
  return lines;
}

void expect_fits(const std::string& text, int columns, int rows) {
  const auto lines = lines_in(text);
  EXPECT_LE(lines.size(), static_cast<std::size_t>(rows));
  for (const std::string& line : lines) {
    const auto width = std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; });
    EXPECT_LE(width, columns) << line;
  }
}

TwoRecords four_ranks() {
  TwoRecords two(4);
  two.now.runs_done = 4;
  two.now.runs_planned = 15;
  two.now.seconds_left = 80;
  two.now.loss = 2.3125;
  NodeStatus node{.host = "n0", .clock_s = 100, .busy_cpu_s = 100, .memory_available_bytes = 11e9};
  node.cpus = 16;
  two.before.nodes = {node};
  node.clock_s = 110;
  node.busy_cpu_s = 132;
  two.now.nodes = {node};
  two.now.findings = {{.code = "shared", .severity = "warning", .point = "", .text = "busy"}};
  return two;
}

TEST(Screen, ShowsHeadRanksMachinesAndFindings) {
  TwoRecords two = four_ranks();
  two.set_waits(2, 0.1);
  EXPECT_EQ(drawn(shown(two), 80, 24), R"(sweep: resnet50, ddp, gloo
results/runs/a, 4 ranks on 1 machine, status 1 s old, run e530c6e5
4 of 15 runs done, now w4/r1
window: 1,100 of 2,000 steps (55 %), 320 images/s, loss 2.312, 1:20 left

                images  wait   wait     wait   last
   rank   step   per s  data  peers  network   step    memory  what is wrong
      0  1,100    80.0   1 %   20 %     10 %  1.1 s  1.21 GiB
      1  1,100    80.0   1 %   20 %     10 %  1.1 s  1.21 GiB
!     2  1,100    80.0   1 %    0 %     10 %  1.1 s  1.21 GiB  others wait 20 %
      3  1,100    80.0   1 %   20 %     10 %  1.1 s  1.21 GiB

              CPUs    CPUs    memory
machine       busy  others      free
n0       3.2 of 16     0.2  10.2 GiB

1 finding so far
! shared: busy
)");
}

TEST(Screen, ALongPathGivesWayToTheAgeOfTheStatus) {
  ShownRun run = shown(four_ranks());
  run.source = "/scratch/project_465000001/someone/results/runs/resnet50-20261126T143858Z";
  EXPECT_EQ(lines_in(drawn(run, 60, 20)).at(1),
            "...50-20261126T143858Z, 4 ranks on 1 machine, status 1 s old");
}

TEST(Screen, AHealthyRunHasNoColumnOfMarks) {
  const std::string text = drawn(shown(four_ranks()), 80, 24);
  EXPECT_EQ(text.find("what is wrong"), std::string::npos);
  EXPECT_NE(text.find("\n   2  1,100"), std::string::npos) << text;
}

TEST(Screen, NeverExceedsTheTerminal) {
  for (const int ranks : {1, 4, 64, 1000}) {
    TwoRecords two(ranks);
    two.now.what = std::string(300, 'x') + "\n\x1b[31m";
    two.now.point = std::string(100, 'p');
    for (int i = 0; i < 20; ++i) {
      two.now.findings.push_back({.code = "code" + std::to_string(i),
                                  .severity = "info",
                                  .point = "",
                                  .text = std::string(90, 'y') + " \xc3\xa9 " + "words and words"});
      two.now.nodes.push_back({.host = "a-machine-with-a-long-name-" + std::to_string(i)});
    }
    if (ranks > 1) two.now.ranks[1].silent_s = 400;
    for (const auto& [columns, rows] : {std::pair(60, 20), {80, 24}, {200, 50}, {20, 5}, {60, 1}}) {
      const std::string text = drawn(shown(two, 100), columns, rows);
      expect_fits(text, columns, rows);
      EXPECT_EQ(text.find('\x1b'), std::string::npos);
      const std::vector runs(4, shown(two));
      expect_fits(screen_text(runs, {.is_terminal = true, .columns = columns, .rows = rows}, "q"),
                  columns, std::max(rows, 2));
    }
  }
}

TEST(Screen, AThousandRanksAreRankedByWhatIsWrong) {
  TwoRecords two(1000);
  two.set_waits(700, 0.1);
  two.now.ranks[900].phase = two.before.ranks[900].phase = "data";
  const auto lines = lines_in(drawn(shown(two), 80, 24));
  const auto begins = [&](const std::string& text) {
    return std::ranges::count_if(lines, [&](const auto& line) { return line.starts_with(text); });
  };
  EXPECT_EQ(begins("!   900  n112  1,100"), 1);
  EXPECT_EQ(begins("!   700  n87   1,100"), 1);
  EXPECT_EQ(begins("      0  n0"), 1);
  EXPECT_EQ(begins("and 984 more: rates within 1 %, waits for peers within 1 %"), 1)
      << drawn(shown(two), 80, 24);
}

TEST(Screen, GpusHaveColumnsOfTheirOwn) {
  TwoRecords two(2);
  for (RankStatus& rank : two.now.ranks) {
    rank.gpu = GpuStatus{.utilisation = 0.97,
                         .memory_used_bytes = 42e9,
                         .power_W = 655,
                         .sm_clock_MHz = 1755,
                         .temperature_C = 61,
                         .held_down_by = {"power_cap"}};
  }
  const std::string text = drawn(shown(two), 120, 24);
  EXPECT_NE(text.find("images  wait   wait     wait   last             GPU       GPU    GPU"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("   1 %      -        -  1.1 s  1.21 GiB  97 %  39.1 GiB  655 W  1,755 MHz  "
                      "power_cap"),
            std::string::npos)
      << text;
  EXPECT_NE(drawn(shown(two), 80, 24).find("97 %  39.1 GiB  655 W  1,755 MHz"), std::string::npos)
      << drawn(shown(two), 80, 24);
}

TEST(Screen, AFinishedRunShowsItsEnd) {
  TwoRecords two = four_ranks();
  two.now.state = "complete";
  const std::string text = drawn(shown(two, 500), 80, 24);
  EXPECT_NE(text.find("\ncomplete after 2:43: 1,100 of 2,000 steps"), std::string::npos) << text;
  EXPECT_EQ(text.find("status "), std::string::npos);
  EXPECT_EQ(text.find("left"), std::string::npos);
  EXPECT_EQ(text.find("peers"), std::string::npos);
}

TEST(Screen, SaysWhenRankZeroIsNotWellAndWhatCannotBeRead) {
  const std::string old = drawn(shown(four_ranks(), 34), 80, 24);
  EXPECT_NE(old.find("! rank 0 has given no sign of life for 34 s: killed, stopped, or a slow"),
            std::string::npos)
      << old;
  EXPECT_NE(old.find("\n!     0  1,100"), std::string::npos) << old;
  const ShownRun none{.source = "a", .status = {}, .now = {}, .lasted_s = {}, .problem = "cut off"};
  EXPECT_EQ(drawn(none, 80, 24), "a\ncut off\n");
}

TEST(Screen, MarkedRanksAreRedWhereThereAreColours) {
  TwoRecords two(4);
  two.set_waits(2, 0.1);
  const std::string text = screen_text(
      std::vector{shown(two)}, {.is_terminal = true, .columns = 80, .rows = 24, .colour = true});
  EXPECT_NE(text.find("\x1b[31m!     2"), std::string::npos);
  EXPECT_NE(text.find("\n      3"), std::string::npos);
}

TEST(Screen, WithoutATerminalAllIsShown) {
  const std::string text = screen_text(std::vector{shown(TwoRecords(1000))}, {});
  EXPECT_EQ(lines_in(text).size(), 4u + 1 + kTableHead + 1000);
}

}  // namespace
}  // namespace scalemark::live
