// Every number of a machine, each with a value of its own, through all that shows it while a run
// runs: none may take another's name or place.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/live/pages.h"
#include "core/live/screen.h"

namespace scalemark::live {
namespace {

using Json = nlohmann::json;

Json whole_status() {
  return Json::parse(R"({"schema": "scalemark.status/1", "run_id": "r", "command": "train",
    "version": "1", "commit": "c", "started": "2026-01-02T03:04:05Z",
    "written": "2026-01-02T03:05:05Z", "state": "running", "sample_unit": "samples",
    "training": {"batch_size": 8, "world_size": 1},
    "ranks": [{"rank": 0, "host": "n1", "local_rank": 0, "beats": 9, "clock_s": 8, "silent_s": 0,
      "phase": "model", "steps": 0, "samples": 0, "collectives": 0, "all_collectives": 0,
      "payload_bytes": 0, "data_wait_s": 0, "resident_bytes": 7000, "major_faults": 0,
      "late_wakeups": 0, "cpu_s": 0, "watching_cpu_s": 0,
      "gpu": {"device": "cuda:0", "uuid": "GPU-1", "utilisation": 0.51, "memory_used_bytes": 52e9,
        "power_W": 53, "sm_clock_MHz": 54, "temperature_C": 55, "held_down_by": ["power_cap"],
        "ecc_corrected": 56, "ecc_uncorrected": 57, "xid_errors": 58, "pcie_replays": 59}}],
    "nodes": [{"host": "n1", "clock_s": 8, "busy_cpu_s": 11, "steal_cpu_s": 12,
      "throttled_cpu_s": 13, "memory_available_bytes": 14e9, "swapped_bytes": 15e4,
      "pressure_cpu_s": 1.25, "pressure_memory_s": 1.5, "pressure_io_s": 1.75,
      "retransmitted_segments": 19, "network_errors": 21, "disk_read_bytes": 22e4,
      "disk_written_bytes": 23e4, "output_free_bytes": 24e9, "sampler_cpu_s": 25, "cpus": 26,
      "interfaces": [{"name": "eth0", "received_bytes": 27e4, "sent_bytes": 28e4},
                     {"name": "eth1", "received_bytes": 29e4, "sent_bytes": 31e4},
                     {"name": "lo", "received_bytes": 32e4, "sent_bytes": 33e4}]}]})");
}

Status as_status(const Json& json) { return parse_status(json.dump(), "made"); }

// Eight seconds before, when everything that counts began.
Status begun() {
  Json json = whole_status();
  for (auto& [name, value] : json["nodes"][0].items()) {
    if (value.is_number() && name != "cpus") value = 0;
  }
  for (Json& one : json["nodes"][0]["interfaces"]) one["received_bytes"] = one["sent_bytes"] = 0;
  json["ranks"][0]["clock_s"] = 0;
  json["ranks"][0]["beats"] = 8;
  return as_status(json);
}

RunNow between() {
  const Status before = begun(), now = as_status(whole_status());
  return rates_of(&before, now, 1);
}

TEST(MachineNumbers, AreThoseOfTheStatus) {
  EXPECT_EQ(Json::parse(to_json(as_status(whole_status()))), whole_status());
}

TEST(MachineNumbers, HaveRates) {
  const Json frame = Json::parse(frame_json("", as_status(whole_status()), between()));
  EXPECT_EQ(frame["now"]["nodes"], Json::parse(R"([{"host": "n1", "busy_cpus": 1.375,
    "other_cpus": 1.375, "stolen_cpus": 1.5, "throttled_cpus": 1.625, "swap_bytes_per_s": 18750.0,
    "pressure_cpu_share": 0.15625, "pressure_memory_share": 0.1875, "pressure_io_share": 0.21875,
    "received_bytes_per_s": 70000.0, "sent_bytes_per_s": 73750.0, "retransmits_per_s": 2.375,
    "errors_per_s": 2.625, "disk_read_bytes_per_s": 27500.0,
    "disk_written_bytes_per_s": 28750.0}])"));
}

TEST(MachineNumbers, AreSeriesOfThePage) {
  std::istringstream page(metrics_page(as_status(whole_status()), 0, "", MetricsForm::kText));
  std::vector<std::string> lines;
  for (std::string line; std::getline(page, line);) {
    const bool is_of_a_machine = line.find("host=") != std::string::npos;
    if (is_of_a_machine && line.find("rank=") == std::string::npos) lines.push_back(line);
  }
  std::ranges::sort(lines);
  std::string text;
  for (const std::string& line : lines) text += line.substr(sizeof "scalemark") + "\n";
  EXPECT_EQ(text, R"(disk_read_bytes_total{host="n1"} 220000
disk_written_bytes_total{host="n1"} 230000
gpu_clocks_held_down{UUID="GPU-1",device="cuda:0",host="n1",reason="power_cap"} 1
gpu_ecc_errors_total{UUID="GPU-1",device="cuda:0",host="n1",kind="corrected"} 56
gpu_ecc_errors_total{UUID="GPU-1",device="cuda:0",host="n1",kind="uncorrected"} 57
gpu_memory_used_bytes{UUID="GPU-1",device="cuda:0",host="n1"} 5.2e+10
gpu_pcie_replays_total{UUID="GPU-1",device="cuda:0",host="n1"} 59
gpu_power_watts{UUID="GPU-1",device="cuda:0",host="n1"} 53
gpu_sm_clock_hertz{UUID="GPU-1",device="cuda:0",host="n1"} 5.4e+07
gpu_temperature_celsius{UUID="GPU-1",device="cuda:0",host="n1"} 55
gpu_utilization_ratio{UUID="GPU-1",device="cuda:0",host="n1"} 0.51
gpu_xid_errors_total{UUID="GPU-1",device="cuda:0",host="n1"} 58
host_busy_cpu_seconds_total{host="n1"} 11
host_cpus{host="n1"} 26
host_memory_available_bytes{host="n1"} 1.4e+10
host_steal_cpu_seconds_total{host="n1"} 12
host_swapped_bytes_total{host="n1"} 150000
host_throttled_cpu_seconds_total{host="n1"} 13
network_errors_total{host="n1"} 21
network_receive_bytes_total{device="eth0",host="n1"} 270000
network_receive_bytes_total{device="eth1",host="n1"} 290000
network_receive_bytes_total{device="lo",host="n1"} 320000
network_retransmitted_segments_total{host="n1"} 19
network_transmit_bytes_total{device="eth0",host="n1"} 280000
network_transmit_bytes_total{device="eth1",host="n1"} 310000
network_transmit_bytes_total{device="lo",host="n1"} 330000
output_free_bytes{host="n1"} 2.4e+10
pressure_seconds_total{host="n1",resource="cpu"} 1.25
pressure_seconds_total{host="n1",resource="io"} 1.75
pressure_seconds_total{host="n1",resource="memory"} 1.5
)");
}

TEST(MachineNumbers, AreColumnsOfTheScreen) {
  const Status now = as_status(whole_status());
  const ShownRun run{.source = "a", .status = now, .now = between(), .lasted_s = {}, .problem = ""};
  const std::string text =
      screen_text(std::vector{run}, {.is_terminal = true, .columns = 300, .rows = 50});
  EXPECT_EQ(text.substr(text.find("\n\n") + 2), R"(
                   wait   wait     wait  last             GPU       GPU    GPU     GPU       held
rank  phase  step  data  peers  network  step    memory  busy    memory  power   clock    down by
   0  model     -     -      -        -     -  6.84 KiB  51 %  48.4 GiB   53 W  54 MHz  power_cap

              CPUs    CPUs    CPUs       CPUs  wait    memory      swap    wait   network   network  resent    network      disk      disk  wait    output
machine       busy  others  stolen  throttled   CPU      free     per s  memory     in /s    out /s   per s  errors /s   read /s  write /s  disk      free
n1       1.4 of 26     1.4     1.5        1.6  16 %  13.0 GiB  18.3 KiB    19 %  68.4 KiB  72.0 KiB    2.38       2.62  26.9 KiB  28.1 KiB  22 %  22.4 GiB
)");
}

}  // namespace
}  // namespace scalemark::live
