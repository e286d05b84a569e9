#include <gtest/gtest.h>

#include "report/accept/rules.h"
#include "report/record/health_figures.h"

namespace scalemark::reporting {
namespace {

HealthSnapshot snapshot(std::vector<monitoring::HealthCounter> counters, const char* host = "n1") {
  return {.host = host, .counters = std::move(counters)};
}

monitoring::HealthCounter counter(const char* name, double value, const char* device = "cuda:0") {
  return {.device = device, .uuid = {}, .counter = name, .value = value};
}

// The records of a session that read its counters twice.
std::vector<HealthRecord> records(const std::vector<monitoring::HealthCounter>& before,
                                  const std::vector<monitoring::HealthCounter>& after,
                                  double seconds = 60) {
  std::vector<HealthRecord> all;
  add_snapshots(all, std::vector{snapshot(before)});
  add_snapshots(all, std::vector{snapshot(after)}, seconds);
  return all;
}

HealthFigure only_figure(const char* name, const std::vector<HealthRecord>& all) {
  const auto figures = health_figures(name, all);
  EXPECT_EQ(figures.size(), 1u) << name;
  return figures.empty() ? HealthFigure{} : figures.front();
}

TEST(Health, ReadingsArePairedByHostDeviceAndCounter) {
  std::vector<HealthRecord> all;
  const std::vector first{snapshot({counter("pcie_replays", 1)}),
                          snapshot({counter("pcie_replays", 5)}, "n2")};
  add_snapshots(all, first);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].host, "n2");
  EXPECT_EQ(all[1].before, 5);
  EXPECT_FALSE(all[1].after) << "a session that ends early has only this";
  // Two ranks on one GPU see the same counter; n2 does not answer any more.
  const std::vector second{snapshot({counter("pcie_replays", 2), counter("xid_last", 79)}),
                           snapshot({counter("pcie_replays", 2)})};
  add_snapshots(all, second, 10);
  add_snapshots(all, std::vector{snapshot({counter("pcie_replays", 4)})}, 20);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].after, 4) << "the last reading so far";
  EXPECT_EQ(all[0].seconds, 20);
  EXPECT_FALSE(all[1].after);
  EXPECT_FALSE(all[2].before);
  EXPECT_EQ(all[2].after, 79);
}

TEST(Health, TwoCountsOfTheSameErrorsAreOne) {
  const auto ecc =
      records({counter("ecc_uncorrected_volatile", 0), counter("ecc_uncorrected_aggregate", 7)},
              {counter("ecc_uncorrected_volatile", 2), counter("ecc_uncorrected_aggregate", 9)});
  EXPECT_EQ(only_figure("ecc_uncorrected", ecc).value, 2);
  EXPECT_EQ(only_figure("ecc_uncorrected", ecc).text, "2 uncorrected ECC errors");
  const auto links = records({counter("nvlink_replays", 1), counter("nvlink_crc_errors", 4)},
                             {counter("nvlink_replays", 2), counter("nvlink_crc_errors", 6)});
  EXPECT_EQ(only_figure("nvlink_errors", links).value, 3) << "these are different ones";
}

TEST(Health, StatesAreWhatTheyAreAtTheEnd) {
  const auto pending =
      records({counter("rows_remap_pending", 1)}, {counter("rows_remap_pending", 1)});
  EXPECT_EQ(only_figure("rows_remap_pending", pending).value, 1);
  const auto narrow = records({counter("pcie_width", 16), counter("pcie_width_max", 16)},
                              {counter("pcie_width", 8), counter("pcie_width_max", 16)});
  EXPECT_EQ(only_figure("pcie_lanes_missing", narrow).value, 8);
  EXPECT_EQ(only_figure("pcie_lanes_missing", narrow).text, "8 PCIe lanes less than its most");
}

TEST(Health, TextsSayTheNumberThatPeopleLookUp) {
  const auto xid =
      records({counter("xid_events", 0)}, {counter("xid_events", 1), counter("xid_last", 79)});
  EXPECT_EQ(only_figure("xid", xid).text, "Xid 79 (1 event)");
  const auto hot =
      records({counter("held_back_thermal_s", 1)}, {counter("held_back_thermal_s", 3.5)}, 120);
  EXPECT_EQ(only_figure("held_back", hot).value, 2.5);
  EXPECT_EQ(only_figure("held_back", hot).text, "held back for 2.5 of 120 s");
}

// Some GPUs count the time of the board's limit and none of heat.
TEST(Health, AnyOfItsCountersHasTheSeconds) {
  const auto board = records({counter("held_back_board_limit_s", 1)},
                             {counter("held_back_board_limit_s", 3)}, 120);
  EXPECT_EQ(only_figure("held_back", board).seconds, 120);
  EXPECT_EQ(only_figure("held_back", board).text, "held back for 2 of 120 s");
  const auto both =
      records({counter("held_back_board_limit_s", 1), counter("held_back_thermal_s", 1)},
              {counter("held_back_board_limit_s", 3), counter("held_back_thermal_s", 1)});
  EXPECT_EQ(only_figure("held_back", both).seconds, 60);
}

TEST(Health, WhatIsNotKnownIsNoFigure) {
  const auto plain = records({counter("pcie_replays", 1)}, {counter("pcie_replays", 1)});
  EXPECT_TRUE(health_figures("nvlink_errors", plain).empty()) << "a card without NVLinks";
  EXPECT_EQ(only_figure("pcie_replays", plain).value, 0);
  EXPECT_EQ(only_figure("pcie_replays", plain).text, "");
  std::vector<HealthRecord> early;
  add_snapshots(early, std::vector{snapshot({counter("pcie_replays", 1)})});
  EXPECT_FALSE(only_figure("pcie_replays", early).value);
  const auto reset = records({counter("pcie_replays", 9)}, {counter("pcie_replays", 1)});
  EXPECT_EQ(only_figure("pcie_replays", reset).value, 0);
}

TEST(Health, AFindingNamesTheDeviceAndAllThatIsWrong) {
  auto all = records(
      {counter("xid_events", 0), counter("ecc_uncorrected_volatile", 0), counter("pcie_replays", 0),
       counter("ecc_corrected_volatile", 0), counter("link_downed", 4, "mlx5_0/1"),
       counter("link_downed", 1, "mlx5_1/1")},
      {counter("xid_events", 1), counter("xid_last", 79), counter("ecc_uncorrected_volatile", 2),
       counter("pcie_replays", 5), counter("ecc_corrected_volatile", 3),
       counter("link_downed", 5, "mlx5_0/1"), counter("link_downed", 1, "mlx5_1/1")});
  const auto findings = health_findings(all);
  ASSERT_EQ(findings.size(), 2u) << "corrected errors and replays are no finding";
  EXPECT_EQ(findings[0].text, "cuda:0 of n1: 2 uncorrected ECC errors, Xid 79 (1 event)");
  EXPECT_EQ(findings[0].severity, "warning");
  ASSERT_TRUE(findings[0].place);
  EXPECT_EQ(findings[0].place->host, "n1");
  EXPECT_EQ(findings[0].place->device, "cuda:0");
  EXPECT_EQ(findings[1].text, "mlx5_0/1 of n1: 1 link failure");
}

// accept reads figures by the names of its metrics.
TEST(Health, EachFigureIsAMetricOfAcceptance) {
  std::vector<monitoring::HealthCounter> all;
  for (const char* name :
       {"ecc_corrected_volatile", "ecc_uncorrected_volatile", "rows_remapped_corrected",
        "rows_remap_pending", "rows_remap_failed", "xid_events", "nvlink_replays", "pcie_replays",
        "pcie_width", "pcie_width_max", "held_back_thermal_s", "link_downed", "symbol_error",
        "carrier_changes", "ue_count", "ce_count"}) {
    all.push_back(counter(name, 1));
  }
  int metrics = 0;
  for (const auto& definition : acceptance::kMetrics) {
    if (definition.kind != acceptance::ValueKind::kCounter &&
        definition.kind != acceptance::ValueKind::kState) {
      continue;
    }
    ++metrics;
    EXPECT_TRUE(only_figure(std::string(definition.name).c_str(), records(all, all)).value)
        << definition.name;
  }
  EXPECT_EQ(metrics, 15);
}

}  // namespace
}  // namespace scalemark::reporting
