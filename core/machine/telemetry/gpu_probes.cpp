#include "core/machine/telemetry/gpu_probes.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "core/machine/driver_library.h"
#include "core/machine/health.h"

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

// A probe of those sources that answer. It keeps the library, which they call.
std::unique_ptr<Probe> gpu_probe(std::shared_ptr<nvml::Library> library, const std::string& device,
                                 std::vector<GpuSource> sources, ProbeTimes times) {
  std::erase_if(sources, [](const GpuSource& source) { return !source.read(); });
  std::vector<SourceName> names;
  for (const GpuSource& source : sources)
    names.push_back({.source = source.name, .device = device, .kind = source.kind});
  auto fill = [library = std::move(library), sources = std::move(sources)](ProbeValues values) {
    for (std::size_t i = 0; i < sources.size(); ++i) values[i] = sources[i].read();
  };
  return probe_of(std::move(names), std::move(fill), times);
}

constexpr std::pair<const char*, unsigned long long> kReasons[] = {
    {"hw_slowdown", nvml::kHwSlowdown},
    {"hw_thermal_slowdown", nvml::kHwThermalSlowdown},
    {"sw_thermal_slowdown", nvml::kSwThermalSlowdown},
    {"power_brake", nvml::kPowerBrake},
    {"power_cap", nvml::kPowerCap}};

// One call gives all these bits.
std::unique_ptr<Probe> clock_reason_probe(std::shared_ptr<nvml::Library> library, Device gpu,
                                          const std::string& device) {
  auto read = [library = std::move(library), gpu] {
    return answered<unsigned long long>(library->call().clock_reasons, gpu);
  };
  std::vector<SourceName> names;
  for (const auto& [name, bit] : kReasons) names.push_back({.source = name, .device = device});
  if (!read()) names.clear();
  auto fill = [read = std::move(read)](ProbeValues values) {
    const auto now = read();
    for (std::size_t i = 0; now && i < values.size(); ++i)
      values[i] = (*now & kReasons[i].second) != 0 ? 1.0 : 0.0;
  };
  return probe_of(std::move(names), std::move(fill));
}

constexpr MachineNumber kNumbers[] = {
#define SCALEMARK_GPU(member, ...) numbers::member,
#include "core/machine/machine_numbers.inc"
};

// The errors that `--checks health` counts, by the same reader. They are rare, and drivers answer
// slowly.
std::unique_ptr<Probe> error_probe(std::unique_ptr<GpuHealth> health, const std::string& device) {
  std::vector<std::string> counters;
  std::vector<SourceName> names;
  for (const HealthCounter& counter : health->read_errors()) {
    for (const MachineNumber& number : kNumbers) {
      if (counter.counter != number.counter) continue;
      counters.push_back(counter.counter);
      names.push_back(counter_named(number.source, device));
    }
  }
  auto fill = [health = std::move(health), counters = std::move(counters)](ProbeValues values) {
    for (const HealthCounter& counter : health->read_errors()) {
      const auto found = std::ranges::find(counters, counter.counter);
      if (found != counters.end())
        values[static_cast<std::size_t>(found - counters.begin())] = counter.value;
    }
  };
  return probe_of(std::move(names), std::move(fill), {.every = 100});
}

std::vector<GpuSource> gauges(const Functions& call, Device gpu) {
  constexpr auto kGauge = SourceKind::kGauge;
  return {
      {kSmClock, kGauge,
       [&call, gpu] { return answered<unsigned>(call.clock, gpu, nvml::kClockSm); }},
      {kTemperature, kGauge,
       [&call, gpu] { return answered<unsigned>(call.temperature, gpu, nvml::kGpuTemperature); }},
      {kPower, kGauge,
       [&call, gpu] {
         const Value mW = answered<unsigned>(call.power, gpu);
         return mW ? Value(1e-3 * *mW) : mW;
       }},
      {kUtilisation, kGauge,
       [&call, gpu] {
         const auto used = answered<nvml::Utilization>(call.utilization, gpu);
         return used ? Value(0.01 * used->gpu) : std::nullopt;
       }},
      {kGpuMemoryUsed, kGauge, [&call, gpu] {
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
  probes.push_back(gpu_probe(library, device, gauges(call, gpu), {}));
  probes.push_back(clock_reason_probe(library, gpu, device));
  probes.push_back(gpu_probe(library, device, std::move(at_ends), kOnlyAtEnds));
  if (auto health = GpuHealth::open(uuid, device, file))
    probes.push_back(error_probe(std::move(health), device));
  std::erase_if(probes, [](const auto& probe) { return probe->sources().empty(); });
  return probes;
}

}  // namespace scalemark::monitoring
