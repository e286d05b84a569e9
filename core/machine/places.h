// The CPUs of a node, as records and in Linux's notation, and which of them, with which memory,
// each rank is bound to. Pure: the topology arrives as a record, and core/launch/resources.h
// carries a place out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/words.h"

namespace scalemark::placement {

// The records of the topology are read by core/machine.

// A CPU is what the kernel schedules on: a hardware thread. `core` is the lowest number among the
// CPUs of one physical core, also where this process may not use that one.
struct Cpu {
  int id = 0;
  int core = 0;
  int package = 0;  // socket
  int node = 0;     // NUMA node
};

struct Topology {
  std::vector<Cpu> cpus;  // in the affinity mask, which a cgroup's cpuset limits, too
};

// Linux's notation of sets of CPUs and memory nodes is "0-3,8,10-11".

// Ascending, each once. Absent when the text is no such list or names a number above 65,535; the
// empty text is the empty list.
std::optional<std::vector<int>> parse_cpu_list(std::string_view text);

// The shortest notation of the numbers, in any order.
std::string cpu_list(std::vector<int> cpus);

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
