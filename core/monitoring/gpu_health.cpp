#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <tuple>
#include <utility>

#include "core/monitoring/health.h"
#include "core/monitoring/nvml_library.h"

namespace scalemark::monitoring {
namespace {

using nvml::answered;
using nvml::Device;
using nvml::Functions;

// Collects what one look at a GPU gives.
class GpuLook {
 public:
  GpuLook(const Functions& call, Device gpu, HealthCounter like)
      : call_(call), gpu_(gpu), like_(std::move(like)) {}

  void add(const char* counter, std::optional<double> value) {
    if (!value) return;
    counters_.push_back(like_);
    counters_.back().counter = counter;
    counters_.back().value = *value;
  }

  void read_volatile_ecc() {
    read_ecc("ecc_corrected_volatile", nvml::kCorrectedErrors, nvml::kVolatileErrors);
    read_ecc("ecc_uncorrected_volatile", nvml::kUncorrectedErrors, nvml::kVolatileErrors);
  }

  void read_aggregate_ecc() {
    read_ecc("ecc_corrected_aggregate", nvml::kCorrectedErrors, nvml::kAggregateErrors);
    read_ecc("ecc_uncorrected_aggregate", nvml::kUncorrectedErrors, nvml::kAggregateErrors);
  }

  void read_rows() {
    unsigned corrected = 0, uncorrected = 0, pending = 0, failed = 0;
    if (!call_.remapped_rows ||
        call_.remapped_rows(gpu_, &corrected, &uncorrected, &pending, &failed) != nvml::kSuccess) {
      return;
    }
    add("rows_remapped_corrected", corrected);
    add("rows_remapped_uncorrected", uncorrected);
    add("rows_remap_pending", pending);
    add("rows_remap_failed", failed);
  }

  void read_nvlinks() {
    std::optional<double> active;
    for (unsigned link = 0; link < nvml::kMaxLinks; ++link) {
      const auto on = answered<unsigned>(call_.nvlink_state, gpu_, link);
      if (on) active = active.value_or(0) + (*on > 0 ? 1 : 0);
    }
    add("nvlinks_active", active);
    if (active.value_or(0) == 0) return;
    add("nvlink_replays", over_links({nvml::kLinkReplays}));
    add("nvlink_recoveries", over_links({nvml::kLinkRecoveries}));
    add("nvlink_crc_errors", over_links({nvml::kLinkCrcFlits, nvml::kLinkCrcData}));
  }

  void read_pcie_replays() { add("pcie_replays", answered<unsigned>(call_.pcie_replays, gpu_)); }

  void read_pcie_link() {
    add("pcie_generation", answered<unsigned>(call_.pcie_generation, gpu_));
    add("pcie_generation_max", answered<unsigned>(call_.most_pcie_generation, gpu_));
    add("pcie_width", answered<unsigned>(call_.pcie_width, gpu_));
    add("pcie_width_max", answered<unsigned>(call_.most_pcie_width, gpu_));
  }

  void read_held_back() {
    constexpr std::array<std::pair<const char*, int>, 4> kPolicies{
        {{"held_back_thermal_s", nvml::kThermalPolicy},
         {"held_back_power_s", nvml::kPowerPolicy},
         {"held_back_board_limit_s", nvml::kBoardLimitPolicy},
         {"held_back_reliability_s", nvml::kReliabilityPolicy}}};
    for (const auto& [counter, policy] : kPolicies) {
      add(counter, nvml::held_back_s(call_, gpu_, policy));
    }
  }

  std::vector<HealthCounter> counters() { return std::move(counters_); }

 private:
  void read_ecc(const char* counter, int type, int since) {
    add(counter, answered<unsigned long long>(call_.ecc_errors, gpu_, type, since));
  }

  // Links that are down count as well where the driver still tells: the sum must not fall.
  std::optional<double> over_links(std::initializer_list<int> kinds) const {
    std::optional<double> sum;
    for (unsigned link = 0; link < nvml::kMaxLinks; ++link) {
      for (const int kind : kinds) {
        const std::optional<double> count =
            answered<unsigned long long>(call_.nvlink_errors, gpu_, link, kind);
        if (count) sum = sum.value_or(0) + *count;
      }
    }
    return sum;
  }

  const Functions& call_;
  Device gpu_;
  HealthCounter like_;
  std::vector<HealthCounter> counters_;
};

}  // namespace

// NVML queues events of the driver for whoever has registered: no root, no kernel log.
class GpuHealth::Events {
 public:
  // `watching` stays false where the driver reports no such events.
  Events(const Functions& call, Device gpu) : call_(call) {
    const bool whole =
        call.event_set_create && call.register_events && call.event_set_wait && call.event_set_free;
    if (!whole || call.event_set_create(&set_) != nvml::kSuccess) return;
    watching_ = call.register_events(gpu, nvml::kXidEvents, set_) == nvml::kSuccess;
  }
  ~Events() {
    if (set_) call_.event_set_free(set_);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  void add_to(GpuLook& look) {
    if (!watching_) return;
    nvml::EventData event{};
    for (int i = 0; i < kMostEvents && call_.event_set_wait(set_, &event, 0) == nvml::kSuccess;
         ++i) {
      if ((event.type & nvml::kXidEvents) == 0) continue;
      ++count_;
      last_ = static_cast<double>(event.data);
    }
    look.add("xid_events", static_cast<double>(count_));
    look.add("xid_last", last_);
  }

 private:
  static constexpr int kMostEvents = 1000;  // of one look, so that it ends

  const Functions& call_;
  nvml::EventSet set_ = nullptr;
  bool watching_ = false;
  std::int64_t count_ = 0;
  std::optional<double> last_;
};

GpuHealth::GpuHealth(std::unique_ptr<nvml::Library> library, void* gpu, HealthCounter like)
    : library_(std::move(library)),
      gpu_(gpu),
      like_(std::move(like)),
      events_(std::make_unique<Events>(library_->call(), static_cast<Device>(gpu))) {}

GpuHealth::~GpuHealth() = default;

std::unique_ptr<GpuHealth> GpuHealth::open(const std::string& uuid, const std::string& device,
                                           const std::string& file) {
  auto [library, gpu] = nvml::open_device(uuid, file);
  if (!library) return nullptr;
  HealthCounter like{.device = device, .uuid = uuid, .counter = {}};
  return std::unique_ptr<GpuHealth>(new GpuHealth(std::move(library), gpu, std::move(like)));
}

std::vector<HealthCounter> GpuHealth::read() {
  GpuLook look(library_->call(), static_cast<Device>(gpu_), like_);
  events_->add_to(look);
  look.read_volatile_ecc();
  look.read_aggregate_ecc();
  look.read_rows();
  look.read_nvlinks();
  look.read_pcie_replays();
  look.read_pcie_link();
  look.read_held_back();
  return look.counters();
}

std::vector<HealthCounter> GpuHealth::read_errors() {
  GpuLook look(library_->call(), static_cast<Device>(gpu_), like_);
  look.read_volatile_ecc();
  look.read_pcie_replays();
  events_->add_to(look);
  return look.counters();
}

}  // namespace scalemark::monitoring
