// A cause is planted in the numbers of a run, and must be the first that is found.
#include "report/judge/point/causes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/machine/machine_numbers.h"
#include "report/judge/point/telemetry.h"
#include "report/record/finding_kinds.h"
#include "tests/report/sample_report.h"

namespace scalemark::reporting {
namespace {

// Four ranks on two hosts, a step of 20 ms: 15 of its own, 5 of exchange, all that the link needs.
PointRecord healthy(int world_size = 4) {
  PointRecord run;
  run.id = "p/r0";
  run.device = "cpu";
  run.strategy = "ddp";
  run.world_size = run.processes = world_size;
  run.iterations = 1000;
  run.samples = 1000 * 64;
  run.wall_s = 20;
  run.step_time_s = run.step_mean_over_ranks_s = 0.020;
  run.step_s = {.n = 1000, .mean = 0.020, .stdev = 0.001};
  run.own_mean_s = run.own_max_of_rank_means_s = run.own_mean_of_step_max_s = 0.015;
  run.compute_samples_per_sec = 64 / 0.020;
  run.phases_s = Phases{
      .forward = 0.005, .backward = 0.008, .exposed_communication = 0.005, .optimizer = 0.002};
  run.communication.network_s = 0.005;
  run.communication.peer_wait_s = 0;
  run.communication.alone_s = 0.005;
  run.communication.latency_s = 0.0002;
  run.bucket_bytes = {4e6};
  for (int rank = 0; rank < world_size; ++rank) {
    run.ranks.push_back({.rank = rank,
                         .host = rank < 2 ? "n1" : "n2",
                         .device = "cpu",
                         .wall_s = 20,
                         .step_s = {.n = 1000, .mean = 0.020},
                         .own_mean_s = 0.015,
                         .data_wait_s = 0,
                         .phases_s = run.phases_s,
                         .scheduling = Scheduling{.ran_s = 0.015,
                                                  .queued_s = 0.0001,
                                                  .stopped_s = 0,
                                                  .throttled_s = std::nullopt,
                                                  .major_faults = 0}});
  }
  return run;
}

// The rank's own time, and with it the step of all, is longer.
void lengthen(PointRecord& run, int rank, double seconds) {
  *run.step_time_s += seconds;
  run.step_mean_over_ranks_s += seconds;
  run.compute_samples_per_sec = 64 / *run.step_time_s;
  *run.ranks.at(static_cast<std::size_t>(rank)).own_mean_s += seconds;
  const double mean = *run.own_mean_s + seconds / run.world_size;
  run.own_mean_s = mean;
  *run.own_max_of_rank_means_s += seconds;
  *run.own_mean_of_step_max_s += seconds;
  run.communication.peer_wait_s = *run.own_mean_of_step_max_s - mean;
}

Scheduling& got(PointRecord& run, int rank) {
  return *run.ranks.at(static_cast<std::size_t>(rank)).scheduling;
}

TelemetryRecord reading(const char* source, double mean, const std::string& host = "n1") {
  return {"p/r0", host, {.source = source, .mean = mean, .total = mean * 20, .observed_s = 20}};
}

std::string in_short(const CauseRecord& cause) {
  std::string text =
      cause.code + (cause.is_fault ? " fault " : " cost ") + cause.domain + " " + cause.layer;
  if (cause.place && cause.place->rank) text += " rank " + std::to_string(*cause.place->rank);
  if (cause.place && !cause.place->host.empty()) text += " " + cause.place->host;
  if (cause.place && !cause.place->link.empty()) text += " " + cause.place->link;
  return text;
}

struct Beside {
  std::vector<TelemetryRecord> telemetry = {};
  std::vector<Finding> findings = {};
  std::vector<monitoring::Host> hosts = {};
};

std::string first_of(const PointRecord& run, const Beside& beside = {}) {
  const auto causes = causes_of(run, {beside.hosts, beside.telemetry, beside.findings});
  for (const CauseRecord& cause : causes) {
    EXPECT_EQ(cause.text.find_first_of("{}[]|"), std::string::npos) << cause.text;
    EXPECT_EQ(cause.remedy.find_first_of("{}[]|"), std::string::npos) << cause.remedy;
  }
  return causes.empty() ? "none" : in_short(causes.front());
}

TEST(Causes, OfAHealthyRunAreCostsThatAddUp) {
  PointRecord run = healthy();
  run.causes = causes_of(run, {});
  ASSERT_FALSE(run.causes.empty());
  double sum = 0;
  for (const CauseRecord& cause : run.causes) {
    EXPECT_FALSE(cause.is_fault) << cause.text;
    sum += cause.seconds;
  }
  EXPECT_NEAR(sum, 0.005, 1e-9);
  EXPECT_NEAR(unexplained_s(run, run.causes), 0.0001,
              1e-9);  // the queue that is too short for a cause
  double parts = 0;
  for (const StepPart& part : step_parts(run)) parts += part.seconds;
  EXPECT_DOUBLE_EQ(parts, *run.step_time_s);
}

TEST(Causes, OfARankThatComputesLongerNameIt) {
  PointRecord run = healthy();
  lengthen(run, 3, 0.006);
  run.ranks[3].phases_s->backward += 0.006;
  got(run, 3).ran_s = 0.021;
  EXPECT_EQ(first_of(run), "slow_rank fault hardware device rank 3 n2");
  const auto causes = causes_of(run, {});
  EXPECT_NEAR(causes.front().seconds, 0.006, 1e-9);
  EXPECT_NE(causes.front().text.find("longest in backward (14.00 ms against 8.00 ms)"),
            std::string::npos)
      << causes.front().text;
}

TEST(Causes, OfARankThatIsHeldUpSayByWhat) {
  PointRecord run = healthy();
  lengthen(run, 2, 0.006);
  const PointRecord plain = run;
  got(run, 2).stopped_s = 0.006;
  EXPECT_EQ(first_of(run), "stopped fault launch node rank 2 n2");
  run = plain;
  got(run, 2).throttled_s = 0.006;
  got(run, 2).queued_s = 0.006;  // the kernel counts it as a queue, too
  EXPECT_EQ(first_of(run), "quota fault launch node rank 2 n2");
  run = plain;
  got(run, 2).queued_s = 0.006;
  EXPECT_EQ(first_of(run), "queued cost launch node rank 2 n2");
  const Finding shared = make_finding(finding_kinds::shared, "p/r0", {{"others", 1.0}});
  EXPECT_EQ(first_of(run, {.telemetry = {reading(kOtherCpus, 1, "n2")}, .findings = {shared}}),
            "queued fault launch node rank 2 n2");
  EXPECT_EQ(first_of(run, {.telemetry = {reading(kOtherCpus, 0.1, "n2")}, .findings = {shared}}),
            "queued fault launch node rank 2 n2");  // and a larger cost, of threads of its own
  EXPECT_NEAR(causes_of(run, {{}, std::vector{reading(kOtherCpus, 0.1, "n2")}, std::vector{shared}})
                  .front()
                  .seconds,
              0.1 * 0.026, 1e-9);
  const Finding threads = make_finding(finding_kinds::too_many_threads, "p/r0",
                                       {{"rank", "2"}, {"cpus", "1 CPU (3)"}, {"threads", 4}});
  EXPECT_EQ(first_of(run, {.findings = {threads}}), "crowded fault launch node rank 2 n2");
  run = plain;
  got(run, 2).major_faults = 40;
  EXPECT_EQ(first_of(run), "paging fault hardware node rank 2 n2");
}

// A stop within an exchange is in no own time: both ranks wait.
TEST(Causes, OfStopsWithinAnExchangeAreNotTheLinks) {
  PointRecord run = healthy(2);
  *run.step_time_s += 0.004;
  run.compute_samples_per_sec = 64 / *run.step_time_s;
  *run.communication.network_s += 0.004;
  got(run, 1).stopped_s = 0.004;
  const auto causes = causes_of(run, {});
  EXPECT_EQ(in_short(causes.front()), "stopped fault launch node rank 1 n1");
  EXPECT_EQ(in_short(causes.at(1)), "bandwidth_bound cost network link n1");
  EXPECT_FALSE(std::ranges::count(causes, "contention", &CauseRecord::code));
}

TEST(Causes, OfSlowDataTakeWhatTheRateWithoutWaitsSays) {
  PointRecord run = healthy();
  run.ranks[1].data_wait_s = 0.008;
  lengthen(run, 1, 0.008);
  run.compute_samples_per_sec = 64 / 0.020;
  EXPECT_EQ(first_of(run), "slow_data fault data software rank 1 n1");
  EXPECT_NEAR(causes_of(run, {}).front().seconds, 0.008, 1e-9);
  for (RankRecord& rank : run.ranks) rank.data_wait_s = 0.008;
  EXPECT_EQ(first_of(run), "slow_data fault data software n1");
  for (RankRecord& rank : run.ranks) rank.scheduling->major_faults = 30;
  EXPECT_EQ(first_of(run, {.telemetry = {reading(monitoring::kPressureMemory, 0.3)}}),
            "paging fault hardware node n1");
}

TEST(Causes, OfTheExchangeTellTheLinkFromTheRest) {
  PointRecord run = healthy();
  const auto slower = [&](double network_s, double alone_s, double latency_s) {
    run = healthy();
    *run.step_time_s += network_s - 0.005;
    run.compute_samples_per_sec = 64 / *run.step_time_s;
    run.communication.network_s = network_s;
    run.communication.alone_s = alone_s;
    run.communication.latency_s = latency_s;
  };
  slower(0.050, 0.050, 0.0002);
  EXPECT_EQ(first_of(run), "bandwidth_bound cost network link n1 to n2");
  const monitoring::Host host{.hostname = "n1",
                              .nics = {{.name = "eth0", .speed_Mbit_per_s = 10'000}}};
  auto sent = reading(monitoring::kSentBytes, 1e8);
  sent.values.device = "eth0";
  EXPECT_EQ(first_of(run, {.telemetry = {sent}, .hosts = {host}}),
            "bandwidth_bound fault network link n1 to n2");
  slower(0.050, 0.050, 0.045);
  EXPECT_EQ(first_of(run), "latency_bound fault network link n1 to n2");
  slower(0.050, 0.050, 0.008);  // TCP sends a window each round trip
  EXPECT_EQ(first_of(run), "latency_bound fault network link n1 to n2");
  EXPECT_NEAR(causes_of(run, {}).front().seconds, 0.050, 1e-9);
  slower(0.050, 0.005, 0.0002);
  EXPECT_EQ(first_of(run), "contention cost network fabric n1 to n2");
  slower(0.050, 0.050, 0.0004);
  run.bucket_bytes.assign(100, 4e4);
  EXPECT_EQ(first_of(run), "small_buckets cost software software");
  slower(0.050, 0.050, 0.010);
  EXPECT_EQ(first_of(run, {.telemetry = {reading(monitoring::kRetransmits, 1000), sent}}),
            "retransmits fault network link n1 n1 to n2");
  run.communication.alone_s.reset();
  EXPECT_EQ(first_of(run), "exchange cost network link n1 to n2");
}

TEST(Causes, OfSmallDifferencesAreNoFaults) {
  PointRecord run = healthy();
  lengthen(run, 0, 0.0006);  // 4 % of the others
  const auto causes = causes_of(run, {});
  EXPECT_FALSE(std::ranges::any_of(causes, &CauseRecord::is_fault));
  run.step_s.stdev = 0.1;  // so the mean is not known to 10 %
  lengthen(run, 0, 0.0006);
  EXPECT_FALSE(std::ranges::any_of(causes_of(run, {}), &CauseRecord::is_fault));
}

TEST(Causes, OfAGpuAreItsLinkAndItsClock) {
  PointRecord run = healthy(2);
  run.device = "cuda";
  monitoring::Host host{.hostname = "n1"};
  for (int i = 0; i < 2; ++i) {
    auto& rank = run.ranks[static_cast<std::size_t>(i)];
    rank.device = "cuda:" + std::to_string(i);
    rank.uuid = "GPU-" + std::to_string(i);
    host.gpus.push_back({.index = i,
                         .uuid = rank.uuid,
                         .max_sm_clock_MHz = 2000,
                         .pcie = {.generation = 5, .width = i == 1 ? 4 : 16}});
  }
  run.phases_s->host_to_device = 0.009;
  EXPECT_EQ(first_of(run, {.hosts = {host}}), "copy_to_device fault hardware device rank 1 n1");
  run.phases_s->host_to_device = 0;
  const Finding slowed =
      make_finding(finding_kinds::throttled, "p/r0",
                   {{"slowdown", "hardware slowdown"}, {"slowed_share", 0.9}, {"where", "n1"}},
                   FindingPlace{.host = "n1", .device = "cuda:1"});
  auto clock = reading(monitoring::kSmClock, 800);
  clock.values.device = "cuda:1";
  const Beside beside{.telemetry = {clock}, .findings = {slowed}, .hosts = {host}};
  EXPECT_EQ(first_of(run, beside), "slowed_clock fault hardware device n1");
  EXPECT_NEAR(causes_of(run, {beside.hosts, beside.telemetry, beside.findings}).front().seconds,
              0.6 * 0.015, 1e-9);
}

TEST(Causes, AreNoneOfARunThatWasNotMeasured) {
  PointRecord run = healthy();
  run.status = PointStatus::kFailed;
  EXPECT_TRUE(causes_of(run, {}).empty());
  run = {};
  EXPECT_TRUE(causes_of(run, {}).empty());
}

}  // namespace
}  // namespace scalemark::reporting
