// Tables of collectives on a terminal, in the layout of nccl-tests.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "report/judge/collectives/collectives.h"
#include "report/say/render/render.h"
#include "report/say/render/sections/sweep_sections.h"
#include "tests/report/sample_collectives.h"

namespace scalemark::reporting {
namespace {

using collectives::Collective;

CollectiveGroup group_of(std::int64_t bytes, bool in_place, double time_s) {
  CollectiveGroup group;
  group.group = "g" + std::to_string(bytes) + (in_place ? "" : "-out");
  group.backend = "gloo";
  group.device = "cpu";
  group.bytes = bytes;
  group.world_size = 2;
  group.in_place = in_place;
  group.n = 5;
  group.status_counts = {{"ok", 5}};
  const double rate = static_cast<double>(bytes) / time_s / 1e9;
  group.time_s = {time_s, {0.88 * time_s, 1.12 * time_s}};
  group.algbw_GBps = group.busbw_GBps = {rate, {}};
  group.latency_p50_s.value = 1.1 * time_s;
  group.latency_p99_s.value = 2 * time_s;
  group.wrong = 0;
  return group;
}

// Head (its lines joined) -> cells.
std::vector<std::pair<std::string, std::vector<std::string>>> columns_of(const Section& section) {
  std::vector<std::pair<std::string, std::vector<std::string>>> columns;
  for (const Column& column : section.columns) {
    columns.emplace_back(column.head[0] + (column.head.size() > 1 ? " " + column.head[1] : ""),
                         column.cells);
  }
  return columns;
}

using Cells = std::vector<std::string>;

TEST(CollectiveTables, OneLinePerSize) {
  Report report;
  report.collective_groups = {group_of(1 << 20, true, 1e-3), group_of(4096, true, 1e-4)};
  report.collective_groups[1].expected_busbw_GBps = 4.096;
  report.collective_groups[1].expected_source = "memory";
  report.collective_groups[1].expected_share.value = 0.01;
  const auto sections = collective_sections(report);
  ASSERT_EQ(sections.size(), 1u);
  EXPECT_EQ(sections[0].title, "all-reduce, fp32, sum, gloo via c10d, 2 ranks, cpu, in place");
  const auto columns = columns_of(sections[0]);
  const decltype(columns) expected{{"size", {"4 KiB", "1 MiB"}},
                                   {"count elements", {"1024", "262144"}},
                                   {"time us", {"100.0 +- 12.00", "1,000 +- 120.0"}},
                                   {"algbw GB/s", {"0.041", "1.05"}},
                                   {"busbw GB/s", {"0.041", "1.05"}},
                                   {"#wrong", {"0", "0"}},
                                   {"p50 us", {"110.0", "1,100"}},
                                   {"p95 us", {"-", "-"}},
                                   {"p99 us", {"200.0", "2,000"}},
                                   {"of what is expected %", {"1.0", "-"}}};
  EXPECT_EQ(columns, expected);
  EXPECT_EQ(sections[0].lines[0], "expected: 4.10 GB/s, memory");
}

TEST(CollectiveTables, OutOfPlaceAndInPlaceSideBySide) {
  Report report;
  report.collective_groups = {group_of(4096, true, 1e-4), group_of(4096, false, 2e-4),
                              group_of(8192, false, 4e-4)};
  const auto sections = collective_sections(report);
  ASSERT_EQ(sections.size(), 2u);
  EXPECT_EQ(sections[0].title, "all-reduce, fp32, sum, gloo via c10d, 2 ranks, cpu");
  const auto columns = columns_of(sections[0]);
  EXPECT_EQ(columns[2],
            std::pair(std::string("out of place us"), Cells{"200.0 +- 24.00", "400.0 +- 48.00"}));
  EXPECT_EQ(columns[6], std::pair(std::string("in place us"), Cells{"100.0 +- 12.00", "-"}));
  EXPECT_EQ(sections[1].title, "Latency: " + sections[0].title);
  EXPECT_EQ(columns_of(sections[1])[2],
            std::pair(std::string("out p50 us"), Cells{"220.0", "440.0"}));
}

TEST(CollectiveTables, KindsApartAndWhatTheyHaveInTheTitle) {
  std::vector<CollectiveGroup> groups(3, group_of(4096, true, 1e-4));
  groups[0].collective = Collective::kBroadcast;
  groups[0].nodes = 2;
  groups[0].placement = "spread";
  groups[1].collective = Collective::kBarrier;
  groups[1].bytes = 0;
  groups[2].staging = collectives::Staging::kHost;
  groups[2].device = "cuda";
  groups[2].congestion = true;
  groups[2].time_s = {};
  groups[2].status_counts = {{"failed", 5}};
  Report report;
  report.collective_groups = groups;
  std::vector<std::string> titles;
  const auto sections = collective_sections(report);
  for (const Section& section : sections) titles.push_back(section.title);
  EXPECT_EQ(titles,
            (Cells{"broadcast, fp32, root 0, gloo via c10d, 2 ranks, cpu, 2 nodes, placement "
                   "spread, in place",
                   "barrier, gloo via c10d, 2 ranks, cpu",
                   "all-reduce, fp32, sum, gloo via c10d, 2 ranks, cuda staged through the "
                   "host, with congestion, in place"}));
  EXPECT_EQ(columns_of(sections[1])[0].first, "time us");
  EXPECT_EQ(columns_of(sections[2])[2].second, Cells{"failed"});
}

TEST(CollectiveSections, OnATerminal) {
  const Report report = sample_collectives();
  const std::string text = render_console({&report, 1}, Withheld::kLeftOut, {.columns = 100});
  for (const char* part :
       {"45 collectives, 221 runs, 220 of them measured; no wrong elements.",
        "mpi wins up to 64 KiB, gloo from 256 KiB on", "Which backend wins",
        "What backends and options give", "Latency and bandwidth, fitted",
        "broadcast-4096B-fp32-w2-mpi: skipped, this library has no broadcast of that type",
        "gpu-node-07  gpu-node-08", "warning link_latency: gpu-node-07 to gpu-node-08",
        "warning expected_bandwidth: "}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 110u) << line;
  EXPECT_TRUE(render(Format::kMarkdown, {&report, 1}).starts_with("# Collectives\n"));
}

}  // namespace
}  // namespace scalemark::reporting
