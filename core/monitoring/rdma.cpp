#include "core/monitoring/rdma.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>

#include "core/base/number_words.h"
#include "core/monitoring/text_file.h"

namespace scalemark::monitoring {
namespace {

namespace fs = std::filesystem;

// "4: ACTIVE" -> "ACTIVE"
std::string word_behind_number(const std::optional<std::string>& line) {
  if (!line) return "";
  const auto colon = line->find(": ");
  return colon == std::string::npos ? *line : line->substr(colon + 2);
}

// "400 Gb/sec (4X NDR)" -> 400
std::optional<double> gigabits_in(const std::optional<std::string>& line) {
  if (!line || line->find("Gb/sec") == std::string::npos) return std::nullopt;
  const auto rate = leading_number<double>(*line);
  return rate.value_or(0) > 0 ? rate : std::nullopt;
}

// RoCE names it beside the first address of the port; of InfiniBand it is the device's own.
std::string network_interface(const fs::path& device, const fs::path& port) {
  if (auto name = read_line(port / "gid_attrs/ndevs/0"); name && !name->empty()) return *name;
  const auto own = entries_of(device / "device/net");
  return own.empty() ? "" : own.front().filename().string();
}

std::optional<RdmaPort> read_port(const fs::path& device, const fs::path& folder) {
  RdmaPort port;
  port.device = device.filename();
  const auto number = leading_number<decltype(port.port)>(folder.filename().string());
  if (!number) return std::nullopt;
  port.port = *number;
  port.state = word_behind_number(read_line(folder / "state"));
  port.physical_state = word_behind_number(read_line(folder / "phys_state"));
  port.link_layer = read_line(folder / "link_layer").value_or("");
  port.rate_Gbit_per_s = gigabits_in(read_line(folder / "rate"));
  port.netdev = network_interface(device, folder);
  return port;
}

bool has_module(const fs::path& root, const char* name) {
  std::error_code unknown;
  return fs::exists(root / "sys/module" / name, unknown);
}

int count_verbs_devices(const fs::path& root) {
  const auto entries = entries_of(root / "dev/infiniband");
  return static_cast<int>(std::ranges::count_if(entries, [](const fs::path& entry) {
    return entry.filename().string().starts_with("uverbs");
  }));
}

}  // namespace

RdmaSurvey survey_rdma(const fs::path& root) {
  RdmaSurvey survey{
      .ports = {},
      .verbs_devices = count_verbs_devices(root),
      .peer_memory = has_module(root, "nvidia_peermem") || has_module(root, "nv_peer_mem")};
  for (const fs::path& device : entries_of(root / "sys/class/infiniband")) {
    for (const fs::path& folder : entries_of(device / "ports")) {
      if (auto port = read_port(device, folder)) survey.ports.push_back(std::move(*port));
    }
  }
  std::ranges::sort(survey.ports, {}, [](const RdmaPort& port) {
    return std::tuple(std::string_view(port.device), port.port);
  });
  return survey;
}

}  // namespace scalemark::monitoring
