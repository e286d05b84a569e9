#include "core/live/status.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/wire.h"

namespace scalemark::live {
namespace {

HeartbeatRecord largest_heartbeat() {
  HeartbeatRecord heartbeat;
  heartbeat.rank = {.rank = 999,
                    .beats = 1,
                    .clock_s = 1,
                    .phase = "rendezvous",
                    .step = 1,
                    .since_step_s = 1,
                    .main_ran_s = 1,
                    .main_queued_s = 1};
  heartbeat.rank.gpu = GpuStatus{.utilisation = 1,
                                 .memory_used_bytes = 1,
                                 .power_W = 1,
                                 .sm_clock_MHz = 1,
                                 .temperature_C = 1,
                                 .held_down_by = {"power_cap"}};
  return heartbeat;
}

TEST(HeartbeatRecord, IsSmall) {
  HeartbeatRecord heartbeat = largest_heartbeat();
  EXPECT_LE(to_wire(heartbeat).size(), 300u);
  NodeStatus node{.clock_s = 1, .busy_cpu_s = 1, .steal_cpu_s = 1, .throttled_cpu_s = 1};
  for (int i = 0; i < 32; ++i)
    node.interfaces.push_back({.name = "enp129s0f1np" + std::to_string(i), .received_bytes = 1});
  heartbeat.node = node;
  EXPECT_LE(to_wire(heartbeat).size(), 2048u);
}

TEST(KeepNewest, LetsNoCounterFall) {
  std::map<std::string, NodeStatus> nodes;
  const auto read = [&](double clock_s, double busy_s, double pressure_s, double sent) {
    keep_newest(nodes, "n1",
                {.clock_s = clock_s,
                 .busy_cpu_s = busy_s,
                 .memory_available_bytes = clock_s,
                 .pressure_cpu_s = pressure_s,
                 .interfaces = {{.name = "eth0", .sent_bytes = sent}}});
    return nodes.at("n1");
  };
  EXPECT_EQ(read(1, 10, 5, 70).pressure_cpu_s, 5);
  const NodeStatus other = read(2, 10, 4, 80);
  EXPECT_EQ(other.pressure_cpu_s, 5) << "another rank has read it a moment before, within a tick";
  EXPECT_EQ(other.interfaces.at(0).sent_bytes, 80);
  EXPECT_EQ(other.memory_available_bytes, 2) << "it is no counter";
  const NodeStatus older = read(1.5, 9, 6, 60);
  EXPECT_EQ(older.clock_s, 2);
  EXPECT_EQ(older.memory_available_bytes, 2);
  EXPECT_EQ(older.busy_cpu_s, 10);
  EXPECT_EQ(older.pressure_cpu_s, 6);
  EXPECT_EQ(older.interfaces.at(0).sent_bytes, 80);
  EXPECT_EQ(older.host, "n1");
}

TEST(KeepNewest, KeepsEachCounter) {
  const auto of = [](double value) {
    return NodeStatus{.busy_cpu_s = value,
                      .steal_cpu_s = value,
                      .throttled_cpu_s = value,
                      .swapped_bytes = value,
                      .pressure_cpu_s = value,
                      .pressure_memory_s = value,
                      .pressure_io_s = value,
                      .retransmitted_segments = value,
                      .network_errors = value,
                      .disk_read_bytes = value,
                      .disk_written_bytes = value,
                      .sampler_cpu_s = value,
                      .interfaces = {{.name = "lo", .received_bytes = value, .sent_bytes = value}}};
  };
  std::map<std::string, NodeStatus> nodes, expected;
  keep_newest(expected, "n1", of(2));
  keep_newest(nodes, "n1", of(2));
  keep_newest(nodes, "n1", of(1));
  EXPECT_EQ(to_wire(HeartbeatRecord{.node = nodes.at("n1")}),
            to_wire(HeartbeatRecord{.node = expected.at("n1")}));
}

TEST(HeartbeatRecord, TravelsWhole) {
  const HeartbeatRecord heartbeat = largest_heartbeat();
  EXPECT_EQ(to_wire(from_wire<HeartbeatRecord>(to_wire(heartbeat))), to_wire(heartbeat));
}

TEST(Status, IsReadAsItWasWritten) {
  Status status{.run_id = "r", .command = "sweep", .started = "2026-01-02T03:04:05Z"};
  status.written = "2026-01-02T03:05:05Z";
  status.ranks.push_back(largest_heartbeat().rank);
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

TEST(Status, AnEmptyFileIsCalledEmpty) {
  for (const char* text : {"", "\n", " \r\n"}) {
    try {
      parse_status(text, "status.json");
      FAIL() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.record().what, "'status.json' is empty");
    }
  }
}

}  // namespace
}  // namespace scalemark::live
