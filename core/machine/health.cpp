#include "core/machine/health.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/number_words.h"
#include "core/machine/driver_library.h"
#include "core/machine/machine_numbers.h"
#include "core/machine/text_file.h"

namespace scalemark::monitoring {
namespace {

using nvml::answered;
using nvml::Device;
using nvml::Functions;

// Whether a run watches the counter, and does not only read it before and after.
bool is_watched(std::string_view counter) {
  constexpr std::string_view kWatched[] = {
#define SCALEMARK_GPU(member, ...) numbers::member.counter,
#include "core/machine/machine_numbers.inc"
  };
  return std::ranges::find(kWatched, counter) != std::end(kWatched);
}

// Reads the counters of a GPU once.
class GpuHealthReader {
 public:
  GpuHealthReader(const Functions& call, Device gpu, HealthCounter like, bool only_watched)
      : call_(call), gpu_(gpu), like_(std::move(like)), only_watched_(only_watched) {}

  void add(const char* counter, std::optional<double> value) {
    if (!value) return;
    counters_.push_back(like_);
    counters_.back().counter = counter;
    counters_.back().value = *value;
  }

  void read_memory() {
    constexpr int kCorrected = nvml::kCorrectedErrors, kUncorrected = nvml::kUncorrectedErrors;
    const auto ecc = [&](const char* counter, int type, int since) {
      ask<unsigned long long>(counter, call_.ecc_errors, type, since);
    };
    ecc("ecc_corrected_volatile", kCorrected, nvml::kVolatileErrors);
    ecc("ecc_uncorrected_volatile", kUncorrected, nvml::kVolatileErrors);
    ecc("ecc_corrected_aggregate", kCorrected, nvml::kAggregateErrors);
    ecc("ecc_uncorrected_aggregate", kUncorrected, nvml::kAggregateErrors);
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

  void read_board() {
    ask<unsigned>("pcie_replays", call_.pcie_replays);
    ask<unsigned>("pcie_generation", call_.pcie_generation);
    ask<unsigned>("pcie_generation_max", call_.most_pcie_generation);
    ask<unsigned>("pcie_width", call_.pcie_width);
    ask<unsigned>("pcie_width_max", call_.most_pcie_width);
  }

  void read_held_back() {
    add("held_back_thermal_s", nvml::held_back_s(call_, gpu_, nvml::kThermalPolicy));
    add("held_back_power_s", nvml::held_back_s(call_, gpu_, nvml::kPowerPolicy));
    add("held_back_board_limit_s", nvml::held_back_s(call_, gpu_, nvml::kBoardLimitPolicy));
    add("held_back_reliability_s", nvml::held_back_s(call_, gpu_, nvml::kReliabilityPolicy));
  }

  std::vector<HealthCounter> counters() { return std::move(counters_); }

 private:
  template <class Answer, class Function, class... Arguments>
  void ask(const char* counter, Function function, Arguments... arguments) {
    if (!only_watched_ || is_watched(counter))
      add(counter, answered<Answer>(function, gpu_, arguments...));
  }

  // Links that are down count as well where the driver still answers: the sum must not fall.
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
  bool only_watched_;
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

  void add_to(GpuHealthReader& reader) {
    if (!watching_) return;
    nvml::EventData event{};
    for (int i = 0; i < kMostEvents && call_.event_set_wait(set_, &event, 0) == nvml::kSuccess;
         ++i) {
      if ((event.type & nvml::kXidEvents) == 0) continue;
      ++count_;
      last_ = static_cast<double>(event.data);
    }
    reader.add("xid_events", static_cast<double>(count_));
    reader.add("xid_last", last_);
  }

 private:
  static constexpr int kMostEvents = 1000;  // bounds one call, so that it ends

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
  GpuHealthReader reader(library_->call(), static_cast<Device>(gpu_), like_,
                         /*only_watched=*/false);
  events_->add_to(reader);
  reader.read_memory();
  reader.read_rows();
  reader.read_nvlinks();
  reader.read_board();
  reader.read_held_back();
  return reader.counters();
}

std::vector<HealthCounter> GpuHealth::read_errors() {
  GpuHealthReader reader(library_->call(), static_cast<Device>(gpu_), like_, /*only_watched=*/true);
  reader.read_memory();
  reader.read_board();
  events_->add_to(reader);
  return reader.counters();
}

namespace {

namespace fs = std::filesystem;

// A file that holds something else than one number, as "N/A (no PMA)", gives nothing.
void add_counter(std::vector<HealthCounter>& counters, const std::string& device,
                 const fs::path& file) {
  const auto value = whole_number<std::uint64_t>(read_line(file).value_or(""));
  if (!value) return;
  counters.push_back({.device = device,
                      .uuid = {},
                      .counter = file.filename(),
                      .value = static_cast<double>(*value)});
}

}  // namespace

std::vector<HealthCounter> machine_health(const fs::path& root) {
  constexpr std::array<const char*, 5> kOfPort{"symbol_error", "link_downed", "port_rcv_errors",
                                               "local_link_integrity_errors",
                                               "link_error_recovery"};
  std::vector<HealthCounter> counters;
  for (const fs::path& device : entries_of(root / "sys/class/infiniband")) {
    for (const fs::path& port : entries_of(device / "ports")) {
      const std::string name = device.filename().string() + "/" + port.filename().string();
      for (const char* counter : kOfPort) add_counter(counters, name, port / "counters" / counter);
    }
  }
  for (const fs::path& nic : entries_of(root / "sys/class/net")) {
    std::error_code unknown;
    if (!fs::exists(nic / "device", unknown)) continue;  // bridges, tunnels, the loopback
    add_counter(counters, nic.filename(), nic / "carrier_changes");
  }
  for (const fs::path& controller : entries_of(root / "sys/devices/system/edac/mc")) {
    for (const char* counter : {"ce_count", "ue_count"}) {
      add_counter(counters, controller.filename(), controller / counter);
    }
  }
  return counters;
}

}  // namespace scalemark::monitoring
