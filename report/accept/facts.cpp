// The facts of hosts and GPUs that a buyer checks first, as texts that are compared.
#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/machine/gpus.h"
#include "core/machine/network_ports.h"
#include "report/accept/inventory.h"

namespace scalemark::acceptance {
namespace {

using monitoring::Gpu;
using monitoring::Host;
using reporting::Report;

constexpr double kEqualMemory = 1.01;
constexpr double kGiB = 1024.0 * 1024 * 1024, kMiB = 1024.0 * 1024;

// "cuda:0" is the first GPU that CUDA_VISIBLE_DEVICES leaves.
std::string device_name(const Host& host, const Gpu& gpu) {
  const auto& visible = host.visible_gpus;
  const auto found = std::ranges::find(visible, gpu.index);
  if (visible.empty() || found != visible.end()) {
    return "cuda:" + std::to_string(visible.empty() ? gpu.index : found - visible.begin());
  }
  return "gpu:" + std::to_string(gpu.index);
}

std::string ports_text(const Host& host) {
  std::map<std::string, int> kinds;
  for (const auto& port : host.rdma) {
    if (port.state != "ACTIVE") continue;
    const double rate = port.rate_Gbit_per_s.value_or(0);
    ++kinds[port.link_layer + (rate > 0 ? " " + significant(rate, 4) + " Gbit/s" : "")];
  }
  for (const auto& nic : host.nics) {
    if (nic.state != "up" || !nic.speed_Mbit_per_s || monitoring::is_virtual_interface(nic.name))
      continue;
    ++kinds[significant(static_cast<double>(*nic.speed_Mbit_per_s) / 1000, 4) + " Gbit/s"];
  }
  std::vector<std::string> texts;
  for (const auto& [kind, count] : kinds) texts.push_back(std::to_string(count) + " x " + kind);
  return texts.empty() ? "none" : joined(texts, ", ");
}

std::string node_fact(Metric metric, const Host& host) {
  switch (metric) {
    case Metric::kGpus:
      return std::to_string(host.gpus.size());
    case Metric::kCores:
      return std::to_string(host.cores.logical);
    case Metric::kMemory:
      return with_decimals(std::round(static_cast<double>(host.memory_bytes) / kGiB), 0) + " GiB";
    case Metric::kCpu:
      return host.cpu;
    default:
      return ports_text(host);
  }
}

template <class T>
std::string text_of(const std::optional<T>& value, const char* unit) {
  return value ? significant(static_cast<double>(*value), 6) + unit : "";
}

std::string gpu_fact(Metric metric, const Gpu& gpu) {
  switch (metric) {
    case Metric::kGpuName:
      return gpu.name;
    case Metric::kGpuMemory:
      return with_decimals(static_cast<double>(gpu.memory_bytes) / kMiB, 0) + " MiB";
    case Metric::kDriver:
      return gpu.driver.empty() ? "not known" : gpu.driver;
    case Metric::kPowerLimit:
      return text_of(gpu.power_limit_W, " W");
    case Metric::kPcieWidth:
      return text_of(gpu.pcie.width, " lanes");
    default:
      return text_of(gpu.nvlinks, "");
  }
}

Series fact(Part part, const std::string& of_class, std::string text) {
  Series series;
  series.part = std::move(part);
  series.of_class = of_class;
  series.starts.emplace_back();
  series.starts.back().fact = std::move(text);
  return series;
}

void add_facts(Metric metric, const Report& report, const Host& host, std::vector<Series>& all) {
  if (definition_of(metric).of == PartKind::kNode) {
    if (metric == Metric::kCpu && host.cpu.empty()) return;  // an unknown CPU equals none
    const std::string of_class = host.gpus.empty() ? "" : host.gpus.front().name;
    all.push_back(fact(node_part(report, host.hostname), of_class, node_fact(metric, host)));
    if (metric == Metric::kMemory) {
      all.back().starts.back().value = static_cast<double>(host.memory_bytes);
    }
    return;
  }
  for (const Gpu& gpu : host.gpus) {
    Part part = node_part(report, host.hostname);
    part.kind = PartKind::kDevice;
    part.device = device_name(host, gpu);
    std::tie(part.uuid, part.pci, part.serial) = std::tie(gpu.uuid, gpu.pci, gpu.serial);
    const std::string of_class = metric == Metric::kGpuName ? "" : gpu.name;
    all.push_back(fact(std::move(part), of_class, gpu_fact(metric, gpu)));
  }
}

// Kernels and firmware keep memory for themselves, and not the same amount on all equal machines,
// which rounding may set apart. A memory module that is missing is far more.
void join_close_memory(std::vector<Series>& all) {
  std::vector<Start*> starts;
  for (Series& series : all) starts.push_back(&series.starts.back());
  std::ranges::sort(starts, {}, [](const Start* start) { return start->value; });
  for (std::size_t i = 1; i < starts.size(); ++i) {
    const Start& smaller = *starts[i - 1];
    if (starts[i]->value <= kEqualMemory * smaller.value) starts[i]->fact = smaller.fact;
  }
}

}  // namespace

std::vector<Series> read_facts(Metric metric, std::span<const NamedReport> reports) {
  if (is_of_nccl(metric)) return read_nccl(metric, reports);
  std::map<std::string, std::pair<const Report*, const Host*>> last;
  std::vector<std::string> order;
  for (const NamedReport& one : reports) {
    for (const Host& host : one.report.environment.hosts) {
      if (!last.contains(host.hostname)) order.push_back(host.hostname);
      last[host.hostname] = {&one.report, &host};
    }
  }
  std::vector<Series> all;
  for (const std::string& name : order) {
    add_facts(metric, *last[name].first, *last[name].second, all);
  }
  if (metric == Metric::kMemory) join_close_memory(all);
  return all;
}

}  // namespace scalemark::acceptance
