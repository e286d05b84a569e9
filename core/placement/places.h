// Which CPUs, and which memory, each rank of a node is bound to. Pure: the topology arrives as a
// record, and core/launching/bind.h carries a place out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/words.h"
#include "core/placement/topology.h"

namespace scalemark::placement {

enum class Bind { kNone, kCores, kNuma };
constexpr auto words_of(Bind) {
  return std::to_array<Word<Bind>>(
      {{Bind::kNone, "none"}, {Bind::kCores, "cores"}, {Bind::kNuma, "numa"}});
}

struct Place {
  std::vector<int> cpus;           // ascending
  std::optional<int> memory_node;  // preferred for its memory; absent: the kernel's default
};

struct Question {
  Bind bind = Bind::kNone;
  int ranks = 1;  // on this node
  // The memory node of each visible GPU, where it is known; empty: the ranks compute on CPUs.
  std::vector<std::optional<int>> gpu_nodes = {};
};

struct Answer {
  std::vector<Place> places;  // by local rank; empty with kNone and where there is a problem
  std::string problem;        // why these ranks cannot be bound so; empty: they can
};

// kCores: the physical cores in the order of packages, memory nodes and numbers; each rank has as
// many, floor(cores / ranks), all CPUs of which it gets, and begins at core floor(rank x cores /
// ranks). What is left over stays free: a rank with more would wait for the others.
// kNuma: all CPUs of one memory node and that node's memory. The node is that of the rank's GPU
// (local rank modulo GPUs), else local rank modulo the nodes that have CPUs here.
Answer places_of_ranks(const Topology& topology, const Question& question);

// The most threads that each of these ranks may have without two on one CPU, where ranks with the
// same CPUs divide them: at least 1. Absent without places.
std::optional<int> threads_that_fit(const std::vector<Place>& places);

}  // namespace scalemark::placement
