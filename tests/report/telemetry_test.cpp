#include "report/judge/point/telemetry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "report/judge/point/disturbances.h"
#include "report/judge/point/findings.h"
#include "report/say/render/sections/sweep_sections.h"
#include "tests/report/sample_report.h"

namespace scalemark::reporting {
namespace {

using monitoring::SourceSummary;

SourceSummary source(const std::string& name, double mean, const std::string& device = "",
                     double max = 0) {
  return {.source = name,
          .device = device,
          .n = 20,
          .mean = mean,
          .min = 0,
          .max = max > 0 ? max : mean,
          .total = 2 * mean,
          .observed_s = 2};
}

// A rank whose process uses `cpus`, with what else it read.
RankMeasurement rank(const std::string& host, const std::string& machine, double cpus,
                     std::vector<SourceSummary> more = {}) {
  RankMeasurement measured;
  measured.record.host = host;
  measured.machine = machine;
  measured.telemetry = std::move(more);
  measured.telemetry.push_back(source("process_cpus", cpus));
  measured.telemetry.push_back(source("sampler_cpu_share", 1e-3));
  return measured;
}

double mean_of(const std::vector<TelemetryRecord>& all, const std::string& host,
               const std::string& name) {
  for (const auto& record : all) {
    if (record.host == host && record.values.source == name) return record.values.mean;
  }
  ADD_FAILURE() << host << " has no " << name;
  return -1;
}

TEST(Telemetry, OthersAreTheBusyCpusWithoutThoseOfAllRanks) {
  const std::vector<RankMeasurement> ranks = {rank("n1", "boot1", 1.5, {source("busy_cpus", 4)}),
                                              rank("n1", "boot1", 1.0),
                                              rank("n2", "boot2", 3.0, {source("busy_cpus", 2.9)})};
  const auto all = telemetry_of("p/r0", readings_of(ranks));
  EXPECT_DOUBLE_EQ(mean_of(all, "n1", "other_cpus"), 1.5);
  EXPECT_DOUBLE_EQ(mean_of(all, "n1", "ranks_cpus"), 2.5);
  EXPECT_DOUBLE_EQ(mean_of(all, "n1", "sampler_cpu_share"), 2e-3);
  EXPECT_DOUBLE_EQ(mean_of(all, "n2", "other_cpus"), 0);  // ticks are coarse: never negative
  for (const auto& record : all) {
    EXPECT_EQ(record.point, "p/r0");
    EXPECT_NE(record.values.source, "process_cpus");
  }
}

// /proc/stat is of the machine, in each of its containers.
TEST(Telemetry, RanksOfOtherContainersOnTheMachineAreNoOthers) {
  const auto all = telemetry_of("p/r0", readings_of(std::vector<RankMeasurement>{
                                            rank("pod-a", "boot1", 2, {source("busy_cpus", 4)}),
                                            rank("pod-b", "boot1", 2, {source("busy_cpus", 4)})}));
  EXPECT_EQ(mean_of(all, "pod-a", "other_cpus"), 0);
  EXPECT_EQ(mean_of(all, "pod-b", "other_cpus"), 0);
  EXPECT_EQ(mean_of(all, "pod-b", "ranks_cpus"), 2);
}

TEST(Telemetry, LeavesOutInterfacesWithoutTraffic) {
  const auto all =
      telemetry_of("p", readings_of(std::vector<RankMeasurement>{rank(
                            "n1", "", 1,
                            {source("sent_bytes_per_s", 0, "eth1"),
                             source("sent_bytes_per_s", 5, "eth0"), source("steal_cpus", 0)})}));
  EXPECT_EQ(mean_of(all, "n1", "sent_bytes_per_s"), 5);
  EXPECT_EQ(mean_of(all, "n1", "steal_cpus"), 0);
}

RankMeasurement rank_in_group(int number, const std::string& group, double throttled) {
  RankMeasurement measured = rank("n1", "boot1", 1, {source("quota_throttled_cpus", throttled)});
  measured.record.rank = number;
  measured.cpu_group = group;
  return measured;
}

// Returns, by rank, the CPUs that the quota of each control group held back; -1: it is the host's.
std::map<int, double> quotas_of(const std::vector<RankMeasurement>& ranks) {
  std::map<int, double> all;
  for (const auto& record : telemetry_of("p", readings_of(ranks))) {
    if (record.values.source != "quota_throttled_cpus") continue;
    EXPECT_TRUE(all.emplace(record.rank.value_or(-1), record.values.mean).second);
  }
  return all;
}

// A launcher may put each rank of a host into a control group of its own.
TEST(Telemetry, AQuotaIsReportedForTheRankThatHasIt) {
  EXPECT_EQ(
      quotas_of({rank_in_group(0, "a", 0), rank_in_group(1, "b", 0.3), rank_in_group(2, "b", 0.3)}),
      (std::map<int, double>{{0, 0}, {1, 0.3}}));
  EXPECT_EQ(quotas_of({rank_in_group(0, "a", 0.2), rank_in_group(1, "a", 0.2)}),
            (std::map<int, double>{{-1, 0.2}}));
}

std::vector<monitoring::Host> hosts(int cpus) {
  monitoring::Host host;
  host.hostname = "n1";
  host.cores.logical = cpus;
  return {host};
}

// Codes of what is said of these records, one after the other; empty: nothing is.
std::string kinds_of(const std::vector<TelemetryRecord>& telemetry, int cpus) {
  std::string kinds;
  for (const auto& found : disturbances_of(telemetry, hosts(cpus))) kinds += found.code;
  for (const auto& found : doubts_of(telemetry, hosts(cpus))) kinds += found.code;
  return kinds;
}

std::string kinds_of(const SourceSummary& values, int cpus = 2) {
  return kinds_of(std::vector<TelemetryRecord>{{"p", "n1", values}}, cpus);
}

TEST(Disturbances, AreSlowdownsByHeatHardwareAndBrakeAndNotByAPowerCap) {
  for (const char* reason :
       {"hw_slowdown", "hw_thermal_slowdown", "sw_thermal_slowdown", "power_brake"}) {
    EXPECT_EQ(kinds_of(source(reason, 0.05, "cuda:0", 1)), "throttled") << reason;
    EXPECT_EQ(kinds_of(source(reason, 0, "cuda:0")), "") << reason;
  }
  EXPECT_EQ(kinds_of(source("power_cap", 1, "cuda:0")), "");
  EXPECT_EQ(kinds_of(source("power_violation_share", 0.5, "cuda:0")), "");
  EXPECT_EQ(kinds_of(source("thermal_violation_share", 0.002, "cuda:0")), "throttled");
  EXPECT_EQ(kinds_of(source("thermal_violation_share", 0.0005, "cuda:0")), "");
}

TEST(Disturbances, AreAQuotaStealAndForeignLoadAboveTheirLimits) {
  EXPECT_EQ(kinds_of(source("quota_throttled_cpus", 0.02)), "throttled");
  EXPECT_EQ(kinds_of(source("quota_throttled_cpus", 0.005)), "");
  EXPECT_EQ(kinds_of(source("other_cpus", 0.11)), "shared");
  EXPECT_EQ(kinds_of(source("other_cpus", 0.09)), "");
  EXPECT_EQ(kinds_of(source("other_cpus", 0.5), 64), "");
  EXPECT_EQ(kinds_of(source("other_cpus", 0.7), 64), "shared");
  EXPECT_EQ(kinds_of(source("steal_cpus", 0.11)), "shared");
  EXPECT_EQ(kinds_of(source("steal_cpus", 0.1)), "steal");
  EXPECT_EQ(kinds_of(source("steal_cpus", 0.03)), "steal");
  EXPECT_EQ(kinds_of(source("steal_cpus", 0.02)), "");
  EXPECT_EQ(kinds_of(source("other_processes", 1, "cuda:0")), "shared");
  EXPECT_EQ(kinds_of(source("busy_cpus", 2)), "");
}

// One rank of one thread on eight cores: three and a half others fit beside it. On cores that are
// all wanted nobody fits, though ranks that are held back use less.
TEST(Disturbances, OthersOnFreeCoresDisturbNothing) {
  const auto kinds = [](double wanted, double used, double others) {
    const std::vector<TelemetryRecord> telemetry = {{"p", "n1", source("wanted_cpus", wanted)},
                                                    {"p", "n1", source("ranks_cpus", used)},
                                                    {"p", "n1", source("other_cpus", others)}};
    return disturbances_of(telemetry, hosts(8)).size();
  };
  EXPECT_EQ(kinds(1, 1, 3.4), 0u);
  EXPECT_EQ(kinds(1, 1, 3.6), 1u);
  EXPECT_EQ(kinds(8, 7.5, 0.5), 1u);
  EXPECT_EQ(kinds(1, 6, 1.5), 1u) << "loaders and helpers take cores, too";
}

SourceSummary others_for(double seconds, double cpus) {
  SourceSummary values = source("other_cpus", cpus);
  values.observed_s = seconds;
  return values;
}

// In 36 ms, clocks of 10 ms let 1.4 CPUs of others pass.
TEST(Disturbances, OfABriefReadingAreNotKnown) {
  EXPECT_EQ(kinds_of(others_for(0.036, 1.3)), "others_unknown");
  EXPECT_EQ(kinds_of(others_for(0.036, 0)), "others_unknown");
  EXPECT_EQ(kinds_of(others_for(0.036, 1.5)), "shared");
  for (const int cpus : {1, 2, 8, 29, 30, 64, 192}) {
    const double least_s = least_observed_s(cpus);
    EXPECT_EQ(kinds_of(others_for(1.01 * least_s, 0), cpus), "") << cpus;
    EXPECT_EQ(kinds_of(others_for(0.99 * least_s, 0), cpus), "others_unknown") << cpus;
  }
  EXPECT_DOUBLE_EQ(least_observed_s(1), 0.05 / 0.3);
  EXPECT_DOUBLE_EQ(least_observed_s(9), 1);
  EXPECT_DOUBLE_EQ(least_observed_s(100), 1);
  EXPECT_DOUBLE_EQ(least_observed_s(100, 20), 0.01);
}

// Others who fit on cores that ranks leave free may be there unseen.
TEST(Disturbances, OfABriefReadingAreKnownWhereCoresAreFree) {
  const std::vector<TelemetryRecord> telemetry = {{"p", "n1", source("wanted_cpus", 1)},
                                                  {"p", "n1", others_for(0.1, 0.5)}};
  EXPECT_EQ(kinds_of(telemetry, 8), "");
  EXPECT_EQ(kinds_of(telemetry, 1), "others_unknown");
}

TEST(Disturbances, LimitsGrowWithTheMachineAndShrinkWithTime) {
  EXPECT_DOUBLE_EQ(foreign_load_limit(2, 2), 0.1);
  EXPECT_DOUBLE_EQ(foreign_load_limit(64, 0.5), 0.1 * std::sqrt(128));
  EXPECT_DOUBLE_EQ(foreign_load_limit(64, 20), 0.64);
  EXPECT_DOUBLE_EQ(foreign_load_limit(2, 0.02), 2.5);
  // Twice 10 ms that the clock counts into a window of 0.3 ms.
  EXPECT_LT(0.02 / 0.0003, foreign_load_limit(2, 0.0003));
  EXPECT_DOUBLE_EQ(steal_limit(2, 0.1), 0.5);
  EXPECT_DOUBLE_EQ(steal_limit(200, 10), 2);
  EXPECT_DOUBLE_EQ(most_steal(200, 10), 10);
  EXPECT_DOUBLE_EQ(most_steal(2, 0.1), 0.5);
}

// A rank whose process clock says `by_clock`, and whose ticks say `by_ticks`.
RankMeasurement counting_rank(int number, double by_clock, double by_ticks, double busy = -1) {
  RankMeasurement measured = rank("n1", "boot1", by_clock);
  measured.record.rank = number;
  measured.telemetry.push_back(source("process_cpus_by_ticks", by_ticks));
  if (busy >= 0) measured.telemetry.push_back(source("busy_cpus", busy));
  return measured;
}

std::string contradictions_of(const std::vector<RankMeasurement>& ranks, int cpus = 2) {
  std::string text;
  for (const auto& found : disturbances_of(telemetry_of("p", readings_of(ranks)), hosts(cpus))) {
    if (found.code != "counters_disagree") continue;
    text += found.text;
    if (found.place && found.place->rank) text += " @" + std::to_string(*found.place->rank);
  }
  return text;
}

// Both counts come from the same sums of the kernel: windows here are of 2 s, five ticks 0.025
// CPUs.
TEST(Counters, OfOneRankContradictEachOther) {
  EXPECT_EQ(contradictions_of({counting_rank(0, 0.9, 0.9), counting_rank(1, 0.9, 0.92)}), "");
  EXPECT_EQ(contradictions_of({counting_rank(0, 0.2, 0.2), counting_rank(1, 0.8, 0.2)}),
            "rank 1 of n1: its clock of CPU time counted 0.80 CPUs, the kernel's ticks 0.20 @1");
  EXPECT_EQ(contradictions_of({counting_rank(0, 0.2, 0.2), counting_rank(1, 0.1, 0.2)}),
            "rank 1 of n1: its clock of CPU time counted 0.10 CPUs, the kernel's ticks 0.20 @1");
  EXPECT_EQ(contradictions_of({counting_rank(0, 31, 31.5)}, 64), "") << "2 % of many";
}

TEST(Counters, OfAllRanksAreNoMoreThanThereIs) {
  EXPECT_EQ(contradictions_of({counting_rank(0, 1.5, 1.5), counting_rank(1, 1.5, 1.5)}),
            "n1: its ranks used 3.00 of 2 CPUs");
  EXPECT_EQ(contradictions_of({counting_rank(0, 1.01, 1.01), counting_rank(1, 1.01, 1.01)}), "");
}

// Ticks are samples, and the clock of a process runs in interrupts and while a hypervisor has its
// CPU.
TEST(Counters, OfTheMachineHoldThoseOfItsRanks) {
  EXPECT_EQ(contradictions_of({counting_rank(0, 1.8, 1.8, 0.8)}),
            "n1: its ranks used 1.80 CPUs, of which the machine ran 0.80");
  EXPECT_EQ(contradictions_of({counting_rank(0, 1.8, 1.8, 1)}), "");
  auto held = counting_rank(0, 1.8, 1.8, 0.8);
  held.telemetry.push_back(source("interrupt_cpus", 0.1));
  held.telemetry.push_back(source("steal_cpus", 0.1));
  EXPECT_EQ(contradictions_of({held}), "");
}

TEST(Disturbances, NamePlaceNumberAndLimit) {
  const std::vector<TelemetryRecord> telemetry = {
      {"p", "n1", source("other_cpus", 1.5)},
      {"p", "n1", source("sw_thermal_slowdown", 0.25, "cuda:0", 1)},
      {"p", "n1", source("sw_thermal_slowdown", 0.5, "cuda:1", 1)},
      {"p", "n1", source("hw_slowdown", 0.5, "cuda:1", 1)},
      {"p", "n1", source("hw_slowdown", 0.5, "cuda:2", 1)}};
  const auto found = disturbances_of(telemetry, hosts(2));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].text,
            "cuda:0 of n1: thermal slowdown by the driver in 25.0 % of the readings; "
            "cuda:1 of n1: thermal slowdown by the driver in 50.0 % of the readings; "
            "cuda:1 of n1: hardware slowdown in 50.0 % of the readings; and 1 more");
  EXPECT_EQ(found[1].text, "n1: other processes used 1.50 CPUs (limit 0.10)");
  EXPECT_EQ(in_words(found), "throttled: " + found[0].text + "; shared: " + found[1].text);
}

// A step of 10 ms on one GPU or several, whose utilisation is `used`.
std::string waits_text(std::vector<SourceSummary> used, double data_wait_s = 0,
                       double network_s = 0, bool graphs = false) {
  PointRecord point = sample_point(1);
  point.step_mean_over_ranks_s = 0.01;
  for (RankRecord& rank : point.ranks) rank.data_wait_s = data_wait_s;
  point.communication = {.network_s = network_s};
  point.cuda_graphs = graphs;
  std::vector<TelemetryRecord> telemetry;
  for (const auto& values : used) telemetry.push_back({point.id, "n1", values});
  for (const auto& finding : findings_of(point, {.telemetry = telemetry})) {
    if (finding.code == "gpu_waits") return finding.text;
  }
  return {};
}

TEST(GpuThatWaits, IsOneWhoseIdleTimeNothingElseExplains) {
  const auto used = [](double share) { return source("utilisation", share, "cuda:0"); };
  EXPECT_EQ(waits_text({used(0.91)}), "");
  EXPECT_EQ(
      waits_text({used(0.7)}),
      "cuda:0 of n1 computed in 70.0 % of the window only: the host hands out work too slowly; a "
      "larger batch or --cuda-graphs on helps");
  EXPECT_EQ(waits_text({used(0.7)}, 0.0025), "") << "25 % of the step waits for data";
  EXPECT_EQ(waits_text({used(0.7)}, 0, 0.0025), "");
  EXPECT_NE(waits_text({used(0.7)}, 0.0005, 0.0005), "");
  EXPECT_EQ(waits_text({used(0.7)}, 0, 0, true).find("graphs"), std::string::npos);
}

TEST(GpuThatWaits, IsTheWorstOfThem) {
  const std::string text =
      waits_text({source("utilisation", 0.99, "cuda:0"), source("utilisation", 0.7, "cuda:1"),
                  source("utilisation", 0.6, "cuda:2")});
  EXPECT_TRUE(
      text.starts_with("cuda:2 of n1 computed in 60.0 % of the window only, and 1 more alike: "))
      << text;
}

TEST(GpuThatWaits, IsNotReportedForAWindowThatTheDriverHardlySees) {
  SourceSummary brief = source("utilisation", 0.3, "cuda:0");
  brief.observed_s = 0.5;
  EXPECT_EQ(waits_text({brief}), "");
}

TEST(Disturbances, AreFindingsOfAPointThatIsOk) {
  const std::vector<TelemetryRecord> telemetry = {{"p", "n1", source("other_cpus", 1.5)}};
  const auto here = hosts(2);
  const auto codes = [&](std::span<const TelemetryRecord> of) {
    std::string all;
    for (const auto& finding : findings_of(sample_point(1), {.hosts = here, .telemetry = of})) {
      all += finding.code + " ";
    }
    return all;
  };
  EXPECT_NE(codes(telemetry).find("shared "), std::string::npos);
  EXPECT_EQ(codes({}).find("shared "), std::string::npos);
}

TEST(TelemetrySection, HasWordsAndUnits) {
  const std::vector<std::pair<SourceSummary, std::vector<std::string>>> rows{
      {source("received_bytes_per_s", 1439061593), {"received", "0 B/s to 1.44 GB/s"}},
      {source("quota_throttled_periods_per_s", 0.5),
       {"quota throttled periods", "0 per s to 0.500 per s"}},
      {source("memory_available_bytes", 3.5e9), {"memory available", "0 B to 3.26 GiB"}},
      {source("busy_cpus", 1.25), {"busy CPUs", "0 to 1.25"}},
      {source("pressure_cpu_share", 0.125), {"pressure CPU", "0.00 % to 12.50 %"}},
      {source("utilisation", 0.93), {"utilisation", "0.00 % to 93.00 %"}},
      {source("sm_clock_MHz", 1755), {"SM clock", "0 MHz to 1,755 MHz"}},
      {source("power_W", 640), {"power", "0 W to 640.0 W"}},
      {source("temperature_C", 61), {"temperature", "0 degrees C to 61.00 degrees C"}},
      {source("hw_thermal_slowdown", 1), {"hardware thermal slowdown", "0 to 1.00"}}};
  Report report;
  for (const auto& [values, texts] : rows) {
    report.telemetry.push_back({"p/r0", "n1", values});
    report.telemetry.push_back({"p/r1", "n1", values});
    report.telemetry.back().values.mean = 0;
  }
  const auto sections = machine_sections(report);
  ASSERT_EQ(sections.size(), 1u);
  ASSERT_EQ(sections[0].columns[0].cells.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(sections[0].columns[0].cells[i], rows[i].second[0]);
    EXPECT_EQ(sections[0].columns[2].cells[i], rows[i].second[1]);
  }
}

}  // namespace
}  // namespace scalemark::reporting
