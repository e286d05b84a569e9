#include "core/machine/places.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/number_words.h"
#include "core/base/text.h"

namespace scalemark::placement {
namespace {

constexpr int kMost = 65535;

std::optional<int> whole(std::string_view text) {
  const auto value = whole_number(text);
  return value && *value >= 0 && *value <= kMost ? value : std::nullopt;
}

void sort_once(std::vector<int>& cpus) {
  std::ranges::sort(cpus);
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
}

}  // namespace

std::optional<std::vector<int>> parse_cpu_list(std::string_view text) {
  std::vector<int> cpus;
  if (text.empty()) return cpus;
  for (const std::string_view part : split(text, ",")) {
    const auto dash = part.find('-');
    const auto first = whole(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : whole(part.substr(dash + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
  }
  sort_once(cpus);
  return cpus;
}

std::string cpu_list(std::vector<int> cpus) {
  sort_once(cpus);
  return number_ranges(cpus);
}

namespace {

std::vector<int> numbers_of(std::vector<Cpu> cpus) {
  std::vector<int> numbers;
  for (const Cpu& cpu : cpus) numbers.push_back(cpu.id);
  std::ranges::sort(numbers);
  return numbers;
}

// Each physical core with the CPUs of it that may be used.
std::vector<std::vector<int>> cores_in_order(const Topology& topology) {
  std::map<std::tuple<int, int, int>, std::vector<int>> cores;
  for (const Cpu& cpu : topology.cpus) {
    cores[{cpu.package, cpu.node, cpu.core}].push_back(cpu.id);
  }
  std::vector<std::vector<int>> in_order;
  for (auto& [place, cpus] : cores) in_order.push_back(std::move(cpus));
  return in_order;
}

Answer divide_cores(const Topology& topology, std::size_t ranks) {
  const auto cores = cores_in_order(topology);
  if (cores.size() < ranks) {
    return {.places = {},
            .problem = counted(ranks, "rank") + " on this node, and " +
                       counted(cores.size(), "physical core") +
                       " that this process may use (CPUs " + cpu_list(numbers_of(topology.cpus)) +
                       "): each rank needs one of its own"};
  }
  Answer answer;
  const std::size_t each = cores.size() / ranks;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    Place place;
    const std::size_t first = rank * cores.size() / ranks;
    for (std::size_t core = first; core < first + each; ++core) {
      place.cpus.insert(place.cpus.end(), cores[core].begin(), cores[core].end());
    }
    std::ranges::sort(place.cpus);
    answer.places.push_back(std::move(place));
  }
  return answer;
}

std::optional<int> node_of_gpu(const Question& question, std::size_t rank) {
  if (question.gpu_nodes.empty()) return std::nullopt;
  return question.gpu_nodes[rank % question.gpu_nodes.size()];
}

Answer choose_nodes(const Topology& topology, const Question& question, std::size_t ranks) {
  std::map<int, std::vector<int>> nodes;
  for (const Cpu& cpu : topology.cpus) nodes[cpu.node].push_back(cpu.id);
  Answer answer;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    auto node = std::next(nodes.begin(), static_cast<std::ptrdiff_t>(rank % nodes.size()));
    if (const auto wanted = node_of_gpu(question, rank)) node = nodes.find(*wanted);
    if (node == nodes.end()) {
      return {.places = {},
              .problem = "the GPU of local rank " + std::to_string(rank) + " is at memory node " +
                         std::to_string(*node_of_gpu(question, rank)) +
                         ", of whose CPUs this process may use none (it may use CPUs " +
                         cpu_list(numbers_of(topology.cpus)) + ")"};
    }
    answer.places.push_back({.cpus = node->second, .memory_node = node->first});
    std::ranges::sort(answer.places.back().cpus);
  }
  return answer;
}

}  // namespace

Answer places_of_ranks(const Topology& topology, const Question& question) {
  if (question.bind == Bind::kNone || question.ranks < 1) return {};
  const auto ranks = static_cast<std::size_t>(question.ranks);
  if (topology.cpus.empty()) {
    return {.places = {}, .problem = "it is not known which CPUs this process may use"};
  }
  return question.bind == Bind::kCores ? divide_cores(topology, ranks)
                                       : choose_nodes(topology, question, ranks);
}

std::optional<int> threads_that_fit(const std::vector<Place>& places) {
  std::optional<int> least;
  for (const Place& place : places) {
    const auto sharing = std::ranges::count(places, place.cpus, &Place::cpus);
    const auto share = std::max(1, static_cast<int>(std::ssize(place.cpus) / sharing));
    least = std::min(least.value_or(share), share);
  }
  return least;
}

}  // namespace scalemark::placement
