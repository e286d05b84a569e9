#include "core/machine/network_ports.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "core/base/text.h"
#include "core/base/words.h"

namespace scalemark::monitoring {
namespace {

bool starts_with_any(std::string_view name, std::span<const std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](auto prefix) { return name.starts_with(prefix); });
}

constexpr double kMostGbit_per_s = 1e6;  // no port has more: such a number is damaged

// They add no port to the interfaces that they stand on.
bool is_stacked(std::string_view name) {
  static constexpr std::array<std::string_view, 5> kStacked{"bond", "team", "vlan", "macvlan",
                                                            "ipvlan"};
  return starts_with_any(name, kStacked) || name.find('.') != name.npos;
}

// Whether NCCL_IB_HCA leaves the port in: names are prefixes unless "=" comes first, "^" turns the
// list round.
bool is_chosen(const RdmaPort& port, std::string_view list) {
  const bool excludes = list.starts_with('^');
  if (excludes) list.remove_prefix(1);
  const bool exact = list.starts_with('=');
  if (exact) list.remove_prefix(1);
  if (list.empty()) return true;
  const bool listed = std::ranges::any_of(split(list, ","), [&](std::string_view entry) {
    const auto colon = entry.find(':');
    const std::string_view name = entry.substr(0, colon);
    if (colon != entry.npos && entry.substr(colon + 1) != std::to_string(port.port)) return false;
    return exact ? port.device == name : port.device.starts_with(name);
  });
  return listed != excludes;
}

}  // namespace

UsedPorts ports_of_ranks(const NetworkPorts& all, int ranks, int gpus) {
  UsedPorts used;
  double rate = 0;
  for (const double one : all.Gbit_per_s) {
    const auto count = static_cast<int>(std::ranges::count(all.Gbit_per_s, one));
    if (count < used.ports) continue;
    used.ports = count;  // rates ascend, so that the highest of equally frequent ones stays
    rate = one;
  }
  if (used.ports == 0) return used;
  const int each = gpus > 0 ? std::max(1, used.ports / gpus) : 1;
  used.ports =
      static_cast<int>(std::min<std::int64_t>(used.ports, std::int64_t{std::max(1, ranks)} * each));
  used.Gbit_per_s = used.ports * rate;
  return used;
}

bool is_virtual_interface(std::string_view name) {
  static constexpr std::array<std::string_view, 9> kVirtual{
      "veth", "docker", "br-", "virbr", "cni", "cali", "flannel", "tun", "tap"};
  return starts_with_any(name, kVirtual);
}

NetworkPorts network_ports(const Host& host, PortUse use,
                           const std::map<std::string, std::string>& variables) {
  NetworkPorts ports;
  const bool disabled = value_at(variables, "NCCL_IB_DISABLE") == "1";
  if (use == PortUse::kAll && !disabled) {
    for (const RdmaPort& port : host.rdma) {
      if (port.state != "ACTIVE" || !is_chosen(port, value_at(variables, "NCCL_IB_HCA"))) continue;
      ports.rdma = true;
      const double rate = port.rate_Gbit_per_s.value_or(0);
      if (rate > 0 && rate < kMostGbit_per_s) ports.Gbit_per_s.push_back(rate);
    }
  }
  if (!ports.rdma) {
    for (const Nic& nic : host.nics) {
      const bool counts = use == PortUse::kOneSocket || !is_stacked(nic.name);
      if (nic.state != "up" || is_virtual_interface(nic.name) || !counts) continue;
      if (nic.speed_Mbit_per_s.value_or(0) > 0)
        ports.Gbit_per_s.push_back(static_cast<double>(*nic.speed_Mbit_per_s) / 1000);
    }
  }
  std::ranges::sort(ports.Gbit_per_s);
  if (use == PortUse::kOneSocket && ports.Gbit_per_s.size() > 1)
    ports.Gbit_per_s.erase(ports.Gbit_per_s.begin(), ports.Gbit_per_s.end() - 1);
  return ports;
}

}  // namespace scalemark::monitoring
