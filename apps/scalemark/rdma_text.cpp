#include "apps/scalemark/rdma_text.h"

#include <set>

#include "core/base/number_words.h"

namespace scalemark::cli {
namespace {

std::string port_line(const monitoring::RdmaPort& port) {
  std::string text = port.device + " port " + std::to_string(port.port) + ": " + port.state;
  if (!port.physical_state.empty()) text += " (" + port.physical_state + ")";
  text += ", " + (port.link_layer == "Ethernet" ? "Ethernet (RoCE)" : port.link_layer);
  if (port.rate_Gbit_per_s) text += ", " + significant(*port.rate_Gbit_per_s, 4) + " Gbit/s";
  return port.netdev.empty() ? text : text + ", " + port.netdev;
}

std::string devices_line(const monitoring::RdmaSurvey& survey) {
  std::set<std::string> devices;
  for (const auto& port : survey.ports) devices.insert(port.device);
  if (survey.verbs_devices >= static_cast<int>(devices.size())) {
    return "/dev/infiniband: " + std::to_string(survey.verbs_devices) + " uverbs devices";
  }
  return "/dev/infiniband: " + std::to_string(survey.verbs_devices) + " uverbs devices for " +
         std::to_string(devices.size()) +
         " adapters: pass /dev/infiniband into the container, or NCCL and MPI fall back to TCP";
}

std::string peer_memory_line(bool loaded) {
  if (loaded) return "GPUDirect RDMA: nvidia_peermem is loaded";
  return "GPUDirect RDMA: nvidia_peermem is not loaded; without it NCCL needs dma-buf (open kernel "
         "modules of the driver, Linux 5.12 or newer), else GPU data pass through host memory";
}

}  // namespace

std::vector<std::string> rdma_lines(const RdmaFacts& facts) {
  if (facts.survey.ports.empty()) {
    return {"none: /sys/class/infiniband has no port; between nodes NCCL, Gloo and MPI use TCP"};
  }
  std::vector<std::string> lines;
  for (const auto& port : facts.survey.ports) lines.push_back(port_line(port));
  lines.push_back(facts.verbs_load
                      ? "libibverbs.so.1 loads"
                      : "libibverbs.so.1 does not load: apt-get install libibverbs1, or NCCL and "
                        "MPI fall back to TCP");
  lines.push_back(devices_line(facts.survey));
  if (facts.gpus) lines.push_back(peer_memory_line(facts.survey.peer_memory));
  return lines;
}

}  // namespace scalemark::cli
