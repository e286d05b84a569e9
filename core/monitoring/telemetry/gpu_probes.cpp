#include "core/monitoring/telemetry/gpu_probes.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "core/monitoring/health.h"
#include "core/monitoring/nvml_library.h"

namespace scalemark::monitoring {
namespace {

using nvml::answered;
using nvml::Device;
using nvml::Functions;
using nvml::kSuccess;
using Value = std::optional<double>;

struct GpuSource {
  const char* name;
  SourceKind kind;
  std::function<Value()> read;
};

class GpuProbe final : public Probe {
 public:
  GpuProbe(std::shared_ptr<nvml::Library> library, std::string device,
           std::vector<GpuSource> sources, bool only_at_ends)
      : library_(std::move(library)), sources_(std::move(sources)), only_at_ends_(only_at_ends) {
    std::erase_if(sources_, [](const GpuSource& source) { return !source.read(); });
    for (const GpuSource& source : sources_) {
      names_.push_back({.source = source.name, .device = device, .kind = source.kind});
    }
  }

  void read(std::span<Value> values) override {
    for (std::size_t i = 0; i < sources_.size(); ++i) values[i] = sources_[i].read();
  }
  bool only_at_ends() const override { return only_at_ends_; }

 private:
  std::shared_ptr<nvml::Library> library_;  // the sources call it
  std::vector<GpuSource> sources_;
  bool only_at_ends_;
};

constexpr std::pair<const char*, unsigned long long> kReasons[] = {
    {"hw_slowdown", nvml::kHwSlowdown},
    {"hw_thermal_slowdown", nvml::kHwThermalSlowdown},
    {"sw_thermal_slowdown", nvml::kSwThermalSlowdown},
    {"power_brake", nvml::kPowerBrake},
    {"power_cap", nvml::kPowerCap}};

// Bits of one call.
class ClockReasons final : public Probe {
 public:
  ClockReasons(std::shared_ptr<nvml::Library> library, Device gpu, const std::string& device)
      : library_(std::move(library)), gpu_(gpu) {
    if (!reasons()) return;
    for (const auto& [name, bit] : kReasons) names_.push_back({.source = name, .device = device});
  }

  void read(std::span<Value> values) override {
    const auto now = reasons();
    if (!now) return;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      values[i] = (*now & kReasons[i].second) != 0 ? 1.0 : 0.0;
    }
  }

 private:
  std::optional<unsigned long long> reasons() const {
    return answered<unsigned long long>(library_->call().clock_reasons, gpu_);
  }

  std::shared_ptr<nvml::Library> library_;
  Device gpu_;
};

constexpr MachineNumber kNumbers[] = {
#define SCALEMARK_GPU(member, ...) numbers::member,
#include "core/monitoring/machine_numbers.inc"
};

// The errors that `--checks health` counts, by the same reader.
class GpuErrors final : public Probe {
 public:
  GpuErrors(std::unique_ptr<GpuHealth> health, const std::string& device)
      : health_(std::move(health)) {
    for (const HealthCounter& counter : health_->read_errors()) {
      for (const MachineNumber& number : kNumbers) {
        if (counter.counter != number.counter) continue;
        counters_.push_back(counter.counter);
        names_.push_back(counter_named(number.source, device));
      }
    }
  }

  void read(std::span<Value> values) override {
    for (const HealthCounter& counter : health_->read_errors()) {
      const auto found = std::ranges::find(counters_, counter.counter);
      if (found != counters_.end())
        values[static_cast<std::size_t>(found - counters_.begin())] = counter.value;
    }
  }
  int every() const override { return 100; }  // they are rare, and drivers answer slowly

 private:
  std::unique_ptr<GpuHealth> health_;
  std::vector<std::string> counters_;  // the names behind names_, in its order
};

std::vector<GpuSource> gauges(const Functions& call, Device gpu) {
  return {{kSmClock, SourceKind::kGauge,
           [&call, gpu] { return Value(answered<unsigned>(call.clock, gpu, nvml::kClockSm)); }},
          {kTemperature, SourceKind::kGauge,
           [&call, gpu] {
             return Value(answered<unsigned>(call.temperature, gpu, nvml::kGpuTemperature));
           }},
          {kPower, SourceKind::kGauge,
           [&call, gpu] {
             const Value mW = answered<unsigned>(call.power, gpu);
             return mW ? Value(1e-3 * *mW) : mW;
           }},
          {kUtilisation, SourceKind::kGauge,
           [&call, gpu] {
             const auto used = answered<nvml::Utilization>(call.utilization, gpu);
             return used ? Value(0.01 * used->gpu) : std::nullopt;
           }},
          {kGpuMemoryUsed, SourceKind::kGauge, [&call, gpu] {
             const auto memory = answered<nvml::Memory>(call.memory_info, gpu);
             return memory ? Value(memory->used) : std::nullopt;
           }}};
}

std::vector<GpuSource> violations(const Functions& call, Device gpu) {
  constexpr std::pair<const char*, int> kPolicies[] = {
      {kThermalViolation, nvml::kThermalPolicy},
      {"power_violation_share", nvml::kPowerPolicy},
      {"board_limit_violation_share", nvml::kBoardLimitPolicy},
      {"reliability_violation_share", nvml::kReliabilityPolicy}};
  std::vector<GpuSource> sources;
  for (const auto& [name, policy] : kPolicies) {
    sources.push_back({name, SourceKind::kCounter, [&call, gpu, policy = policy] {
                         return nvml::held_back_s(call, gpu, policy);
                       }});
  }
  return sources;
}

GpuSource other_processes(const Functions& call, Device gpu, int own) {
  return {kOtherProcesses, SourceKind::kGauge, [&call, gpu, own]() -> Value {
            unsigned count = 0;
            if (!call.compute_processes) return {};
            const nvml::Return code = call.compute_processes(gpu, &count, nullptr);
            if (code != kSuccess && code != nvml::kInsufficientSize) return {};
            return std::max(0.0, static_cast<double>(count) - own);
          }};
}

}  // namespace

std::vector<const char*> clock_reasons() {
  std::vector<const char*> names;
  for (const auto& [name, bit] : kReasons) names.push_back(name);
  return names;
}

std::vector<std::unique_ptr<Probe>> gpu_probes(const std::string& uuid, const std::string& device,
                                               int own_processes, const std::string& file) {
  nvml::OpenDevice opened = nvml::open_device(uuid, file);
  const std::shared_ptr<nvml::Library> library = std::move(opened.library);
  if (!library) return {};
  const Device gpu = opened.device;
  const Functions& call = library->call();
  auto at_ends = violations(call, gpu);
  at_ends.push_back(other_processes(call, gpu, own_processes));
  std::vector<std::unique_ptr<Probe>> probes;
  probes.push_back(std::make_unique<GpuProbe>(library, device, gauges(call, gpu), false));
  probes.push_back(std::make_unique<ClockReasons>(library, gpu, device));
  probes.push_back(std::make_unique<GpuProbe>(library, device, std::move(at_ends), true));
  if (auto health = GpuHealth::open(uuid, device, file))
    probes.push_back(std::make_unique<GpuErrors>(std::move(health), device));
  std::erase_if(probes, [](const auto& probe) { return probe->sources().empty(); });
  return probes;
}

}  // namespace scalemark::monitoring
