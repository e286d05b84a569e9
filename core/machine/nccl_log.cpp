#include "core/machine/nccl_log.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/base/number_words.h"
#include "core/base/text.h"

namespace scalemark::monitoring {
namespace {

// How reports call what NCCL calls otherwise.
constexpr const char* kPcie = "PCIe peer to peer";
constexpr const char* kPeers = "peer to peer";
constexpr const char* kShared = "shared memory";
constexpr const char* kInfiniBand = "InfiniBand";
constexpr const char* kRoce = "RoCE";
constexpr const char* kSockets = "sockets";
constexpr const char* kPlugin = "plugin ";
constexpr const char* kGpuDirect = " with GPUDirect";

// NCCL's names of the slowest path of a graph (topoPathTypeStr in graph/topo.cc).
constexpr std::array<std::string_view, 2> kPathsOfNvlink{"NVL", "NVB"};
constexpr std::array<std::string_view, 5> kPathsOfPcie{"PIX", "PXB", "PXN", "PHB", "SYS"};

// Longer lists and names are no machine's; NCCL 2.18 cuts lines at 1,024 bytes.
constexpr std::size_t kMostNames = 64, kLongestName = 64, kMayBeCut = 1000;

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongestName &&
         std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

bool take(std::string_view& text, std::string_view start) {
  if (!text.starts_with(start)) return false;
  text.remove_prefix(start.size());
  return true;
}

// Takes what comes before `end`, and `end` with it.
std::optional<std::string_view> take_until(std::string_view& text, std::string_view end) {
  const std::size_t at = text.find(end);
  if (at == text.npos) return std::nullopt;
  const std::string_view before = text.substr(0, at);
  text.remove_prefix(at + end.size());
  return before;
}

// "0[3]": a rank, and its GPU.
std::optional<std::size_t> take_rank(std::string_view& text) {
  const auto number = take_until(text, "[");
  if (!number || !take_until(text, "]")) return std::nullopt;
  return whole_number<std::size_t>(*number);
}

struct Channel {
  std::size_t from = 0, to = 0;
  std::string_view via;  // "P2P/CUMEM/read", "SHM/direct/direct", "NET/IB/0/GDRDMA"
};

// "Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0", of shared memory "Channel 00 : ...".
std::optional<Channel> channel_in(std::string_view line) {
  if (!take(line, "Channel ") || !take_until(line, " : ")) return std::nullopt;
  const auto from = take_rank(line);
  if (!from || !take(line, " -> ")) return std::nullopt;
  const auto to = take_rank(line);
  if (!take(line, " [send]")) take(line, " [receive]");
  if (!to || !take(line, " via ")) return std::nullopt;
  return Channel{*from, *to, line};
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Splits "AWS Libfabric/0(3)/GDRDMA/Shared" into the name of a network, which may hold anything,
// and what follows its device.
std::optional<std::pair<std::string_view, std::string_view>> network_in(std::string_view text) {
  for (std::size_t at = text.find('/'); at != text.npos; at = text.find('/', at + 1)) {
    if (at + 1 == text.size() || !is_digit(text[at + 1])) continue;
    return std::pair(text.substr(0, at), text.substr(at + 1));
  }
  return std::nullopt;
}

// "Pattern 4, crossNic 0, nChannels 12, bw 20.000000/20.000000, type NVL/PIX, sameChannels 1":
// of rings, the slowest path within the node and that between nodes.
std::optional<std::string_view> path_of_rings(std::string_view line) {
  if (!take(line, "Pattern 4,") || !take_until(line, ", type ")) return std::nullopt;
  return take_until(line, "/");
}

template <class Set>
std::vector<std::string> listed_in(const Set& texts) {
  return std::vector<std::string>(texts.begin(), texts.end());
}

void unite(std::vector<std::string>& all, const std::vector<std::string>& more) {
  std::set<std::string> both(all.begin(), all.end());
  both.insert(more.begin(), more.end());
  all = listed_in(both);
}

}  // namespace

void add(NcclChoice& all, const NcclChoice& of_rank) {
  unite(all.within, of_rank.within);
  unite(all.between, of_rank.between);
  for (const std::string& adapter : of_rank.adapters) {
    if (std::ranges::find(all.adapters, adapter) == all.adapters.end())
      all.adapters.push_back(adapter);
  }
  if (all.unknown.empty()) all.unknown = of_rank.unknown;
}

void NcclLogReader::read(std::string_view text, std::span<const int> node_of_rank) {
  bool by_peers = false;
  std::string_view path;
  text = text.substr(0, text.rfind('\n') + 1);  // the last line may still grow
  for (std::string_view line : lines_of(text)) {
    if (!take_until(line, " NCCL INFO ")) continue;
    if (const auto of_rings = path_of_rings(line)) path = *of_rings;
    if (line.starts_with("NET/")) read_adapters(line);
    if (take(line, "Using network ") && is_name(line)) network_ = line;
    read_channel(line, node_of_rank, by_peers);
  }
  if (!by_peers) return;
  const auto is_one_of = [&](const auto& paths) {
    return std::ranges::find(paths, path) != paths.end();
  };
  within_.insert(is_one_of(kPathsOfNvlink) ? kNvlink : is_one_of(kPathsOfPcie) ? kPcie : kPeers);
}

void NcclLogReader::read_channel(std::string_view line, std::span<const int> node_of_rank,
                                 bool& by_peers) {
  auto channel = channel_in(line);
  const std::size_t ranks = node_of_rank.size();
  if (!channel || channel->from >= ranks || channel->to >= ranks) return;
  const bool same_node = node_of_rank[channel->from] == node_of_rank[channel->to];
  std::string_view via = channel->via;
  if (via.starts_with("P2P/MNNVL")) {
    (same_node ? within_ : between_).insert(kNvlink);
  } else if (via.starts_with("P2P/")) {
    by_peers = by_peers || same_node;
  } else if (via.starts_with("SHM/")) {
    within_.insert(kShared);
  } else if (take(via, "NET/")) {
    const auto network = network_in(via);
    auto& all = same_node ? networks_within_ : networks_between_;
    if (!network || !is_name(network->first) || all.size() >= kMostNames) return;
    all.insert({std::string(network->first), network->second.find("/GDRDMA") != via.npos});
  }
}

// "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/RoCE [RO]; OOB eth0:10.0.0.1<0>", and
// "NET/Socket : Using [0]eth0:10.0.0.1<0>": the addresses are left out.
void NcclLogReader::read_adapters(std::string_view line) {
  const std::size_t size = line.size();
  take(line, "NET/");
  const auto name = take_until(line, " : Using ");
  if (!name || !is_name(*name)) return;
  const bool is_socket = *name == "Socket";
  std::string_view list = line;
  if (const auto before = take_until(line, "; OOB ")) {
    list = *before;
  } else if (*name == "IB" || size >= kMayBeCut || (is_socket && !list.ends_with('>'))) {
    return;
  }
  std::vector<std::string> names;
  for (std::string_view one : split(list, " ")) {
    if (!take(one, "[") || one.empty() || !is_digit(one.front())) continue;
    take_until(one, "]");
    if (is_socket) one = one.substr(0, one.find(':'));
    if (!is_name(one) || names.size() == kMostNames) return;
    names.emplace_back(one);
  }
  if (!names.empty() && (adapters_.contains(std::string(*name)) || adapters_.size() < kMostNames))
    adapters_[std::string(*name)] = std::move(names);
}

std::string NcclLogReader::word(const Network& network) const {
  if (network.name == "Socket") return kSockets;
  std::string text = kPlugin + network.name;
  if (network.name == "IB") {
    const auto known = adapters_.find(network.name);
    const bool is_roce =
        known != adapters_.end() &&
        std::ranges::all_of(known->second, [](const auto& one) { return one.ends_with("/RoCE"); });
    text = is_roce ? kRoce : kInfiniBand;
  }
  return network.with_gpu_direct ? text + kGpuDirect : text;
}

NcclChoice NcclLogReader::choice() const {
  std::set<std::string> within = within_, between = between_;
  for (const Network& one : networks_within_) within.insert(word(one));
  for (const Network& one : networks_between_) between.insert(word(one));
  NcclChoice choice{.host = {},
                    .within = listed_in(within),
                    .between = listed_in(between),
                    .adapters = {},
                    .unknown = {}};
  // The plugin of HPC-X calls itself IBext_v8 and the like, and writes its list as NCCL's own IB.
  const auto own = adapters_.find(network_);
  const auto adapters =
      own == adapters_.end() && network_.starts_with("IBext") ? adapters_.find("IB") : own;
  if (adapters != adapters_.end()) choice.adapters = adapters->second;
  return choice;
}

}  // namespace scalemark::monitoring
