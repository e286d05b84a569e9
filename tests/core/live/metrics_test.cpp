#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/live/pages.h"

namespace scalemark::live {
namespace {

// Two ranks on two GPUs, whose second has begun 3 exchanges fewer.
Status two_ranks() {
  Status status{.run_id = "abc", .command = "sweep", .version = "1.0", .commit = "c0ffee"};
  status.training = {.workload = "bert-base",
                     .strategy = "ddp",
                     .backend = "nccl",
                     .precision = "bf16",
                     .batch_size = 8,
                     .world_size = 2};
  status.runs = {{"failed", 1}, {"ok", 4}};
  status.runs_planned = 9;
  status.loss = 0.5;
  for (int rank = 0; rank < 2; ++rank) {
    RankStatus one{.rank = rank, .host = "n\"1\\", .local_rank = rank, .phase = "window"};
    one.device = "cuda:" + std::to_string(rank);
    one.steps = 7;
    one.samples = 56;
    one.collectives = 10 - 3 * rank;
    one.all_collectives = 100 + one.collectives;
    one.since_step_s = 0.25;
    one.silent_s = rank;
    one.main_ran_s = 1.5;
    one.gpu = GpuStatus{.device = one.device, .uuid = "GPU-" + std::to_string(rank)};
    one.gpu->sm_clock_MHz = 1980;
    one.gpu->held_down_by = {"power_cap", "hw_slowdown"};
    one.gpu->ecc_corrected = 2;
    status.ranks.push_back(one);
  }
  status.nodes.push_back({.host = "n1", .pressure_io_s = 0.5, .cpus = 16});
  status.nodes.back().interfaces = {{.name = "eth0", .received_bytes = 7, .sent_bytes = 9}};
  return status;
}

std::string page(MetricsForm form = MetricsForm::kText) {
  return metrics_page(two_ranks(), 1000, "", form);
}

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST(Metrics, ShowAStatus) {
  const std::string text = page();
  for (
      const char* line :
      {R"(scalemark_run_info{run_id="abc",command="sweep",workload="bert-base",strategy="ddp",)"
       R"(backend="nccl",precision="bf16",world_size="2",version="1.0",commit="c0ffee"} 1)",
       R"(scalemark_run_state{state="running"} 1)",
       "scalemark_loss 0.5",
       R"(scalemark_points_done_total{status="failed"} 1)",
       R"(scalemark_points_done_total{status="ok"} 4)",
       "scalemark_points_planned 9",
       R"(scalemark_rank_info{rank="1",local_rank="1",host="n\"1\\",device="cuda:1",UUID="GPU-1"} 1)",
       R"(scalemark_rank_phase{rank="0",phase="window"} 1)",
       R"(scalemark_steps_total{rank="1"} 7)",
       R"(scalemark_samples_total{rank="0"} 56)",
       R"(scalemark_collectives_started_total{rank="0"} 110)",
       R"(scalemark_collectives_behind{rank="0"} 0)",
       R"(scalemark_collectives_behind{rank="1"} 3)",
       R"(scalemark_last_beat_timestamp_seconds{rank="1"} 999)",
       R"(scalemark_last_step_timestamp_seconds{rank="1"} 998.75)",
       R"(scalemark_main_thread_seconds_total{rank="0",state="running"} 1.5)",
       R"(scalemark_gpu_sm_clock_hertz{UUID="GPU-0",device="cuda:0",host="n\"1\\"} 1.98e+09)",
       R"(scalemark_gpu_clocks_held_down{UUID="GPU-1",device="cuda:1",host="n\"1\\",reason="hw_slowdown"} 1)",
       R"(scalemark_gpu_ecc_errors_total{UUID="GPU-1",device="cuda:1",host="n\"1\\",kind="corrected"} 2)",
       R"(scalemark_host_cpus{host="n1"} 16)",
       R"(scalemark_pressure_seconds_total{host="n1",resource="io"} 0.5)",
       R"(scalemark_network_transmit_bytes_total{device="eth0",host="n1"} 9)"}) {
    EXPECT_TRUE(has_line(text, line)) << line << "\nin\n" << text;
  }
}

TEST(Metrics, LeaveOutWhatIsNotKnown) {
  const std::string text = page();
  for (const char* series :
       {"learning_rate", "scalemark_epoch", "remaining_seconds", "evaluation_loss",
        "gpu_power_watts", "gpu_xid_errors_total", "host_memory_available_bytes"}) {
    EXPECT_EQ(text.find(series), std::string::npos) << series;
  }
  EXPECT_EQ(text.find("state=\"queued\""), std::string::npos);
  EXPECT_EQ(text.find("kind=\"uncorrected\""), std::string::npos);
}

TEST(Metrics, ReportAGpuOnceHoweverManyRanksComputeOnIt) {
  Status status = two_ranks();
  status.ranks[1].gpu = status.ranks[0].gpu;
  const std::string text = metrics_page(status, 1000, "", MetricsForm::kText);
  EXPECT_EQ(text.find("GPU-0\",device=\"cuda:0\",host=\"n\\\"1\\\\\"} 1.98e+09"),
            text.rfind("GPU-0\",device=\"cuda:0\",host=\"n\\\"1\\\\\"} 1.98e+09"));
}

TEST(Metrics, HaveTwoForms) {
  const std::string plain = page(), open = page(MetricsForm::kOpenMetrics);
  EXPECT_TRUE(has_line(plain, "# TYPE scalemark_steps_total counter"));
  EXPECT_TRUE(has_line(open, "# TYPE scalemark_steps counter"));
  EXPECT_TRUE(has_line(plain, "# TYPE scalemark_run_info gauge"));
  EXPECT_TRUE(has_line(open, "# TYPE scalemark_run info"));
  EXPECT_TRUE(has_line(open, "# UNIT scalemark_data_wait_seconds seconds"));
  EXPECT_EQ(plain.find("# UNIT"), std::string::npos);
  EXPECT_TRUE(open.ends_with("\n# EOF\n"));
  EXPECT_EQ(plain.find("# EOF"), std::string::npos);
}

TEST(Metrics, EndWithTheDonePoints) {
  const std::string done = "# TYPE scalemark_findings gauge\nscalemark_findings{a=\"b\"} 0\n";
  EXPECT_TRUE(metrics_page(two_ranks(), 0, done, MetricsForm::kText).ends_with(done));
  EXPECT_TRUE(
      metrics_page(two_ranks(), 0, done, MetricsForm::kOpenMetrics).ends_with(done + "# EOF\n"));
}

TEST(Metrics, ComeInTheFormThatIsAskedFor) {
  EXPECT_EQ(form_for(""), MetricsForm::kText);
  EXPECT_EQ(form_for("*/*"), MetricsForm::kText);
  EXPECT_EQ(form_for("text/plain"), MetricsForm::kText);
  EXPECT_EQ(form_for("application/openmetrics-text"), MetricsForm::kOpenMetrics);
  // Prometheus 2.42
  EXPECT_EQ(form_for("application/openmetrics-text;version=1.0.0,application/openmetrics-text;"
                     "version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"),
            MetricsForm::kOpenMetrics);
  EXPECT_EQ(form_for("text/plain;q=0.9, application/openmetrics-text;q=0.5"), MetricsForm::kText);
  EXPECT_EQ(form_for("text/plain, application/openmetrics-text;q=0"), MetricsForm::kText);
}

TEST(Metrics, OfARunThatHasJustBegunAreTwo) {
  const Status begun{.run_id = "abc", .command = "train"};
  std::vector<std::string> names;
  for (const Metric& row : metrics()) {
    if (!row.read({begun, 0}).empty()) names.emplace_back(row.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"run_info", "run_state"}));
}

TEST(Metrics, HaveNamesOfTheirOwnAndAHelp) {
  std::set<std::string_view> names;
  for (const Metric& row : metrics()) {
    const std::string_view name = row.name;
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_TRUE(std::string_view(row.help).ends_with(".")) << name;
    EXPECT_EQ(row.kind == MetricKind::kCounter, name.ends_with("_total")) << name;
    EXPECT_EQ(row.kind == MetricKind::kInfo, name.ends_with("_info")) << name;
  }
}

}  // namespace
}  // namespace scalemark::live
