#include <algorithm>
#include <charconv>
#include <string>

#include "core/monitoring/telemetry/host_probes.h"
#include "core/monitoring/telemetry/kept_file.h"
#include "core/monitoring/text_file.h"

namespace scalemark::monitoring {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> interfaces(const fs::path& root) {
  std::vector<std::string> hardware, all;
  bool has_lo = false;
  std::error_code error;
  for (const fs::path& entry : entries_of(root / "sys/class/net")) {
    const std::string name = entry.filename();
    all.push_back(name);
    has_lo = has_lo || name == "lo";
    if (fs::exists(entry / "device", error)) hardware.push_back(name);
  }
  if (hardware.empty()) return all;
  if (has_lo) hardware.emplace_back("lo");
  return hardware;
}

struct Traffic {
  KeptFile received, sent;
  double bytes_per_count = 1;
};

// Two files for each interface or port; null without one.
std::unique_ptr<Probe> traffic_probe(std::vector<std::pair<std::string, Traffic>> ports,
                                     ProbeTimes times) {
  std::erase_if(ports, [](const auto& port) {
    return !port.second.received.is_open() || !port.second.sent.is_open();
  });
  if (ports.empty()) return nullptr;
  std::vector<SourceName> names;
  for (const auto& [device, port] : ports) {
    for (const char* source : {kReceivedBytes, kSentBytes})
      names.push_back(counter_named(source, device));
  }
  auto fill = [ports = std::move(ports)](ProbeValues values) mutable {
    for (std::size_t i = 0; i < ports.size(); ++i) {
      Traffic& port = ports[i].second;
      const auto received = port.received.number(), sent = port.sent.number();
      if (received) values[2 * i] = port.bytes_per_count * *received;
      if (sent) values[2 * i + 1] = port.bytes_per_count * *sent;
    }
  };
  return probe_of(std::move(names), std::move(fill), times);
}

}  // namespace

std::unique_ptr<Probe> network_probe(const fs::path& root) {
  std::vector<std::pair<std::string, Traffic>> ports;
  for (const std::string& name : interfaces(root)) {
    const fs::path counters = root / "sys/class/net" / name / "statistics";
    ports.emplace_back(name, Traffic{.received = KeptFile(counters / "rx_bytes"),
                                     .sent = KeptFile(counters / "tx_bytes")});
  }
  return traffic_probe(std::move(ports), {});
}

std::unique_ptr<Probe> network_error_probe(const fs::path& root) {
  std::vector<KeptFile> files;
  for (const std::string& name : interfaces(root)) {
    for (const char* counter : {"rx_errors", "tx_errors", "rx_dropped", "tx_dropped"}) {
      KeptFile file(root / "sys/class/net" / name / "statistics" / counter);
      if (file.is_open()) files.push_back(std::move(file));
    }
  }
  if (files.empty()) return nullptr;
  auto fill = [files = std::move(files)](ProbeValues values) mutable {
    double sum = 0;
    for (KeptFile& file : files) {
      const auto number = file.number();
      if (!number) return;  // an interface that is gone
      sum += *number;
    }
    values[0] = sum;
  };
  return probe_of({counter_named(kNetworkErrors)}, std::move(fill), {.every = 10});
}

std::unique_ptr<Probe> infiniband_probe(const fs::path& root) {
  std::vector<std::pair<std::string, Traffic>> ports;
  for (const fs::path& card : entries_of(root / "sys/class/infiniband")) {
    for (const fs::path& port : entries_of(card / "ports")) {
      const fs::path counters = port / "counters";
      // In words of 4 bytes (kernel: Documentation/ABI/stable/sysfs-class-infiniband).
      ports.emplace_back(card.filename().string() + "/" + port.filename().string(),
                         Traffic{.received = KeptFile(counters / "port_rcv_data"),
                                 .sent = KeptFile(counters / "port_xmit_data"),
                                 .bytes_per_count = 4});
    }
  }
  return traffic_probe(std::move(ports), kOnlyAtEnds);
}

std::vector<std::unique_ptr<Probe>> host_probes(const fs::path& root) {
  std::vector<std::unique_ptr<Probe>> probes;
  for (const auto open :
       {cpu_time_probe, cpu_frequency_probe, network_probe, infiniband_probe, memory_probe,
        pressure_probe, disk_probe, retransmit_probe, network_error_probe}) {
    if (auto probe = open(root)) probes.push_back(std::move(probe));
  }
  return probes;
}

std::string machine_id(const fs::path& root) {
  return read_line(root / "proc/sys/kernel/random/boot_id").value_or("");
}

}  // namespace scalemark::monitoring
