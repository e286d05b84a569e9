#include "report/accept/inventory.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/machine/gpus.h"
#include "core/machine/network_ports.h"
#include "report/record/point_facts.h"

namespace scalemark::acceptance {
namespace {

using monitoring::Gpu;
using monitoring::Host;
using reporting::PointRecord;
using reporting::RankRecord;
using reporting::Report;

const Host* find_host(const Report& report, const std::string& name) {
  return reporting::find_host(report.environment.hosts, name);
}

// Returns which of the ranks of its host it is, from 0.
std::ptrdiff_t place_on_host(const PointRecord& run, const RankRecord& rank) {
  return std::ranges::count_if(run.ranks, [&](const RankRecord& other) {
    return other.host == rank.host && other.rank < rank.rank;
  });
}

void set_gpu(Part& part, const Host* host) {
  if (host == nullptr || part.uuid.empty()) return;
  const auto [gpu, instance] = monitoring::find_gpu(host->gpus, part.uuid);
  if (gpu == nullptr) return;
  part.uuid = instance ? instance->uuid : gpu->uuid;  // CUDA's form has no prefix
  part.pci = gpu->pci;
  part.serial = gpu->serial;
}

// Replays know the UUID where no training came to its end, and where all ranks call their device
// "cuda:0".
std::string uuid_of(const Report& report, const std::string& host, const std::string& device,
                    std::optional<int> rank) {
  for (const auto& replay : report.replays) {
    const bool is_it = replay.host == host && replay.device == device;
    if (is_it && !replay.uuid.empty() && replay.rank == rank.value_or(replay.rank)) {
      return replay.uuid;
    }
  }
  for (const PointRecord& run : report.points) {
    for (const RankRecord& one : run.ranks) {
      if (one.host == host && one.device == device) return one.uuid;
    }
  }
  return "";
}

}  // namespace

int widest(const Report& report) {
  int most = 0;
  for (const PointRecord& run : report.points) most = std::max(most, run.world_size);
  return most;
}

Part node_part(const Report& report, const std::string& name) {
  Part part;
  part.host = name;
  const Host* host = find_host(report, name);
  if (host != nullptr) part.scheduler_node = host->scheduler_node;
  return part;
}

std::vector<Part> node_parts(const Report& report) {
  std::vector<Part> parts;
  for (const Host& host : report.environment.hosts) {
    parts.push_back(node_part(report, host.hostname));
  }
  return parts;
}

std::string nodes_in_words(const Report& report) {
  std::vector<std::string> names;
  for (const Part& node : node_parts(report)) names.push_back(scheduler_name(node));
  return with_blanks(launching::compressed_nodelist(names));
}

Part whole_fleet() {
  Part part;
  part.kind = PartKind::kFleet;
  part.host = kTheFleet;
  return part;
}

std::vector<std::pair<Part, const reporting::LinkRecord*>> link_parts(const Report& report) {
  std::map<std::string, Part> nodes;  // a fleet has far more links than nodes
  for (Part& node : node_parts(report)) nodes.try_emplace(node.host, std::move(node));
  std::vector<std::pair<Part, const reporting::LinkRecord*>> links;
  for (const auto& link : report.links) {
    const auto node = nodes.find(link.a);
    if (node == nodes.end() || !nodes.contains(link.b)) continue;
    Part part = node->second;
    part.kind = PartKind::kLink;
    part.rank = link.a_rank;
    part.device = link.a_device;
    part.other = link.b;
    if (link.b_rank) part.end = link.second();
    links.emplace_back(std::move(part), &link);
  }
  return links;
}

Part device_part(const Report& report, const PointRecord& run, const RankRecord& rank) {
  Part part = node_part(report, rank.host);
  part.kind = PartKind::kDevice;
  part.rank = rank.rank;
  part.uuid = rank.uuid;
  part.device =
      rank.device == "cpu" ? "cpu:" + std::to_string(place_on_host(run, rank)) : rank.device;
  set_gpu(part, find_host(report, rank.host));
  return part;
}

Part gpu_part(const Report& report, const std::string& host, const std::string& device,
              const std::string& uuid) {
  Part part = node_part(report, host);
  part.kind = PartKind::kDevice;
  part.device = device;
  part.uuid = uuid;
  set_gpu(part, find_host(report, host));
  return part;
}

Part measured_part(const Report& report, const std::string& host, const std::string& device,
                   std::optional<int> rank) {
  const int most = widest(report);
  for (const PointRecord& run : report.points) {
    if (!rank || run.world_size != most) continue;  // fewer ranks may stand elsewhere
    const auto found = std::ranges::find(run.ranks, *rank, &RankRecord::rank);
    if (found != run.ranks.end() && found->host == host) return device_part(report, run, *found);
  }
  Part part = gpu_part(report, host, device, uuid_of(report, host, device, rank));
  if (device == "cpu" && rank) part.device += ":" + std::to_string(*rank);
  return part;
}

std::string chip_of(const Report& report, const Part& part, const std::string& otherwise) {
  const Host* host = find_host(report, part.host);
  if (host == nullptr) return otherwise;
  if (part.uuid.empty()) return otherwise.empty() ? host->cpu : otherwise;
  const std::string name = monitoring::find_gpu(host->gpus, part.uuid).name();
  return name.empty() ? otherwise : name;
}

std::string software_of(const Report& report, const std::string& name) {
  std::vector<std::string> texts;
  const Host* host = find_host(report, name);
  if (host != nullptr && !host->gpus.empty() && !host->gpus.front().driver.empty()) {
    texts.push_back("driver " + host->gpus.front().driver);
  }
  for (const auto& [library, version] : report.tool.libraries) {
    const std::string text = version.running_with.value_or(version.built_with.value_or(""));
    if (!text.empty()) texts.push_back(library + " " + text);
  }
  texts.push_back("scalemark " + report.tool.version + " (" + report.tool.git_commit + ")");
  return joined(texts, ", ");
}

std::map<std::string, std::string> versions_of(const std::string& software) {
  std::map<std::string, std::string> versions;
  for (const std::string_view one : split(software, ", ")) {
    if (one.empty()) continue;
    const std::size_t blank = one.find(' ');
    versions[std::string(one.substr(0, blank))] = blank == one.npos ? "" : one.substr(blank + 1);
  }
  return versions;
}

std::vector<std::size_t> rounds_of(std::span<const NamedReport> reports) {
  std::vector<std::size_t> rounds;
  std::string end;
  for (const auto& [name, report] : reports) {
    const bool is_later = rounds.empty() || report.started > end;
    rounds.push_back(rounds.empty() ? 1 : rounds.back() + (is_later ? 1 : 0));
    end = std::max(is_later ? report.started : end, report.finished);
  }
  return rounds;
}

std::vector<Part> nodes_of(std::span<const NamedReport> reports) {
  std::vector<Part> nodes;
  for (const NamedReport& one : reports) {
    for (Part& part : node_parts(one.report)) {
      const auto known = std::ranges::find(nodes, part.host, &Part::host);
      if (known == nodes.end()) nodes.push_back(std::move(part));
    }
  }
  return nodes;
}

}  // namespace scalemark::acceptance
