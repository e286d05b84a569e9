#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "report/say/render/render.h"
#include "tests/report/sample_collectives.h"
#include "tests/report/sample_report.h"

namespace scalemark::reporting {
namespace {

// Scripts of users read these by name.
constexpr const char* kColumnsOfTheFirstVersion =
    "run_id id group workload task strategy overlap gradient_compression backend device "
    "device_name "
    "precision memory_format threads world_size processes nodes batch_size "
    "gradient_accumulation_steps global_batch_size bucket_cap_mb image_size sequence_length data "
    "repetition block order session started status reason iterations samples wall_s "
    "samples_per_sec "
    "samples_per_sec_per_rank compute_samples_per_sec tokens_per_sec within_run_ci95_low "
    "within_run_ci95_high steps_per_mark step_mean_s step_p50_s step_p95_s step_p99_s step_min_s "
    "step_max_s step_mean_over_ranks_s phase_data_wait_s phase_host_to_device_s phase_forward_s "
    "phase_backward_s phase_exposed_communication_s phase_optimizer_s phase_other_s own_mean_s "
    "own_max_of_rank_means_s own_mean_of_step_max_s noop_step_s communication_cost_s "
    "attention_backend loss_first loss_last memory_peak_bytes memory_estimate_bytes energy_J mfu "
    "steady";

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> all{""};
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      all.emplace_back();
    } else {
      all.back() += c;
    }
  }
  return all;
}

// Column -> cell, of a table of one row whose cells hold no quote.
std::map<std::string, std::string> row_of(const Report& report) {
  const std::string text = render(Format::kCsv, std::span(&report, 1));
  const std::size_t end = text.find("\r\n");
  const auto head = cells(text.substr(0, end));
  auto values = cells(text.substr(end + 2, text.find("\r\n", end + 2) - end - 2));
  values.resize(head.size());
  std::map<std::string, std::string> row;
  for (std::size_t i = 0; i < head.size(); ++i) {
    EXPECT_TRUE(row.emplace(head[i], values[i]).second) << head[i] << " is there twice";
  }
  return row;
}

TEST(Csv, OneLinePerRunOfACollective) {
  Report report = sample_collectives();
  report.collectives.resize(1);
  const auto row = row_of(report);
  EXPECT_EQ(row.at("run_id"), "run-7");
  EXPECT_EQ(row.at("id"), "all-reduce-1024B-fp32-w2-gloo/r0");
  EXPECT_EQ(row.at("in_place"), "true");
  EXPECT_EQ(row.at("staging"), "none");
  EXPECT_EQ(row.at("wrong"), "0");
  EXPECT_EQ(row.at("latency_n"), "200");
  EXPECT_NEAR(std::stod(row.at("time_s")), 1e-4, 5e-6);
  EXPECT_EQ(row.at("expected_busbw_GBps"), "5");
}

TEST(Csv, OfBothKindsTwoTables) {
  const std::vector<Report> both{sample_report(1, false), sample_collectives()};
  const std::string text = render(Format::kCsv, both);
  EXPECT_EQ(text, render(Format::kCsv, std::span(&both[0], 1)) + "\r\n" +
                      render(Format::kCsv, std::span(&both[1], 1)));
}

TEST(Csv, HasEveryColumnOfTheFirstVersion) {
  const auto row = row_of(sample_report(1, false));
  std::istringstream names(kColumnsOfTheFirstVersion);
  for (std::string name; names >> name;) EXPECT_TRUE(row.contains(name)) << name;
}

TEST(Csv, FieldsWithinObjectsAndAbsentValues) {
  Report report = sample_report(1, false);
  report.points.resize(1);
  PointRecord& point = report.points.front();
  point.reason.clear();
  point.varying.clear();
  point.phases_s.value().forward = 0.25;
  point.setup_s.model_s = 1.5;
  point.loss_first = 2.5;
  point.mfu.reset();
  point.steady = true;
  point.left_out = 7;
  point.communication.cost_ci95 = {-0.5, 0.5};
  auto row = row_of(report);
  EXPECT_EQ(row["phase_forward_s"], "0.25");
  EXPECT_EQ(row["setup_model_s"], "1.5");
  EXPECT_EQ(row["loss_first"], "2.5");
  EXPECT_EQ(row["mfu"], "");
  EXPECT_EQ(row["steady"], "true");
  EXPECT_EQ(row["data_loading_left_out"], "7");
  EXPECT_EQ(row["communication_cost_ci95_low"], "-0.5");
  EXPECT_TRUE(row.contains("communication_network_s"));

  point.status = PointStatus::kOom;
  row = row_of(report);
  EXPECT_EQ(row["status"], "oom");
  EXPECT_EQ(row["id"], point.id);
  EXPECT_EQ(row["phase_forward_s"], "") << "not measured";
  EXPECT_EQ(row["loss_first"], "");
}

}  // namespace
}  // namespace scalemark::reporting
