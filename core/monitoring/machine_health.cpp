#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "core/base/number_words.h"
#include "core/monitoring/health.h"
#include "core/monitoring/text_file.h"

namespace scalemark::monitoring {
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
