#include "core/machine/energy.h"

#include <chrono>
#include <optional>

#include "core/base/durations.h"
#include "core/machine/driver_library.h"
#include "core/machine/text_file.h"

namespace scalemark::monitoring {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// RAPL's counters wrap after 0.26 MJ on common servers: 10 minutes at 400 W.
constexpr double kLongestStretchSeconds = 600;

struct Zone {
  fs::path counter;
  std::uint64_t range_uj = 0;
  std::uint64_t before_uj = 0;
};

// "intel-rapl:0" is a package, "intel-rapl:0:1" a part of it, "psys" more than the packages.
std::vector<Zone> package_zones(const fs::path& powercap) {
  std::vector<Zone> zones;
  for (const fs::path& entry : entries_of(powercap)) {
    if (!read_line(entry / "name").value_or("").starts_with("package-")) continue;
    const auto range = number_in<std::uint64_t>(entry / "max_energy_range_uj");
    if (!range || !number_in<std::uint64_t>(entry / "energy_uj")) return {};
    zones.push_back({.counter = entry / "energy_uj", .range_uj = *range});
  }
  return zones;
}

class CpuEnergy final : public EnergyMeter {
 public:
  explicit CpuEnergy(std::vector<Zone> zones) : zones_(std::move(zones)) {}

  void begin() override {
    begun_ = Clock::now();
    readable_ = true;
    for (Zone& zone : zones_) {
      const auto now = number_in<std::uint64_t>(zone.counter);
      readable_ = readable_ && now;
      zone.before_uj = now.value_or(0);
    }
  }

  std::vector<double> joules() override {
    std::vector<double> used;
    if (!readable_ || seconds_since(begun_) > kLongestStretchSeconds) return used;
    for (const Zone& zone : zones_) {
      const auto now = number_in<std::uint64_t>(zone.counter);
      if (!now) return {};
      const bool wrapped = *now < zone.before_uj;
      const std::uint64_t uj =
          wrapped ? zone.range_uj - zone.before_uj + *now : *now - zone.before_uj;
      used.push_back(static_cast<double>(uj) * 1e-6);
    }
    return used;
  }

 private:
  std::vector<Zone> zones_;
  Clock::time_point begun_;
  bool readable_ = false;
};

class GpuEnergy final : public EnergyMeter {
 public:
  GpuEnergy(std::unique_ptr<nvml::Library> library, nvml::Device device)
      : library_(std::move(library)), device_(device) {}

  void begin() override { before_mJ_ = read(); }

  std::vector<double> joules() override {
    const auto now_mJ = read();
    if (!before_mJ_ || !now_mJ || *now_mJ < *before_mJ_) return {};
    return {static_cast<double>(*now_mJ - *before_mJ_) * 1e-3};
  }

  std::optional<unsigned long long> read() const {
    return nvml::answered<unsigned long long>(library_->call().total_energy, device_);
  }

 private:
  std::unique_ptr<nvml::Library> library_;
  nvml::Device device_;
  std::optional<unsigned long long> before_mJ_;
};

}  // namespace

std::unique_ptr<EnergyMeter> open_cpu_energy(const fs::path& powercap) {
  auto zones = package_zones(powercap);
  if (zones.empty()) return nullptr;
  return std::make_unique<CpuEnergy>(std::move(zones));
}

std::unique_ptr<EnergyMeter> open_gpu_energy(const std::string& uuid, const std::string& file) {
  auto [library, device] = nvml::open_device(uuid, file);
  if (!library) return nullptr;
  auto meter = std::make_unique<GpuEnergy>(std::move(library), device);
  if (!meter->read()) return nullptr;
  return meter;
}

}  // namespace scalemark::monitoring
