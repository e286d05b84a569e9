#include "core/live/status.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/wire.h"

namespace scalemark::live {
namespace {

Beat largest_beat() {
  Beat beat;
  beat.rank = {.rank = 999,
               .beats = 1,
               .clock_s = 1,
               .phase = "rendezvous",
               .step = 1,
               .since_step_s = 1,
               .main_ran_s = 1,
               .main_queued_s = 1};
  beat.rank.gpu = GpuStatus{.utilisation = 1,
                            .memory_used_bytes = 1,
                            .power_W = 1,
                            .sm_clock_MHz = 1,
                            .temperature_C = 1,
                            .held_down_by = {"power_cap"}};
  return beat;
}

TEST(Beat, IsSmall) {
  Beat beat = largest_beat();
  EXPECT_LE(to_wire(beat).size(), 300u);
  NodeStatus node{.clock_s = 1, .busy_cpu_s = 1, .steal_cpu_s = 1, .throttled_cpu_s = 1};
  for (int i = 0; i < 32; ++i)
    node.interfaces.push_back({.name = "enp129s0f1np" + std::to_string(i), .received_bytes = 1});
  beat.node = node;
  EXPECT_LE(to_wire(beat).size(), 2048u);
}

TEST(KeepNewest, LetsNoCounterFall) {
  std::map<std::string, NodeStatus> nodes;
  const auto read = [&](double busy_s, double pressure_s, double sampler_s) {
    keep_newest(nodes, "n1",
                {.busy_cpu_s = busy_s, .pressure_cpu_s = pressure_s, .sampler_cpu_s = sampler_s});
    return nodes.at("n1");
  };
  EXPECT_EQ(read(10, 5, 2).pressure_cpu_s, 5);
  EXPECT_EQ(read(9, 4, 1).pressure_cpu_s, 5) << "an older one of another rank";
  EXPECT_EQ(read(11, 6, 1).pressure_cpu_s, 6);
  EXPECT_EQ(nodes.at("n1").sampler_cpu_s, 2) << "another rank's sampler has used less";
  EXPECT_EQ(nodes.at("n1").host, "n1");
}

TEST(Beat, TravelsWhole) {
  const Beat beat = largest_beat();
  EXPECT_EQ(to_wire(from_wire<Beat>(to_wire(beat))), to_wire(beat));
}

TEST(Status, IsReadAsItWasWritten) {
  Status status{.run_id = "r", .command = "sweep", .started = "2026-01-02T03:04:05Z"};
  status.written = "2026-01-02T03:05:05Z";
  status.ranks.push_back(largest_beat().rank);
  status.nodes.push_back({.host = "n7", .interfaces = {{.name = "eth0", .sent_bytes = 7}}});
  status.findings.push_back({.code = "shared", .severity = "warning", .text = "busy"});
  const std::string text = to_json(status);
  EXPECT_EQ(to_json(parse_status(text, "here")), text);
}

TEST(Status, OtherFilesAreRefusedInOneLine) {
  for (const char* text : {"", "[]", "{}", R"({"schema": "scalemark.status/2"})",
                           R"({"schema": 7})", R"({"schema": "scalemark.status/1"})"}) {
    EXPECT_THROW(parse_status(text, "status.json"), Error) << text;
  }
}

}  // namespace
}  // namespace scalemark::live
