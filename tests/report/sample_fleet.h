// The reports of a fleet that is being accepted, generated from a seed: one of each node by itself
// and one of the links. The true values are known: for the tests of acceptance.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "report/record/report.h"

namespace scalemark::reporting {

enum class MeasuredRate { kAlone, kTogether, kProduct, kCopy, kHeld, kInside };

// Every _sd and _noise is a standard deviation of ln of a rate; that of a link is of its passes.
struct FleetShape {
  std::uint64_t seed = 1;
  int nodes = 8, devices = 8, starts = 3;
  std::vector<std::string> workloads = {"resnet50"};
  double device_sd = 0.005, run_sd = 0.004;
  std::map<std::pair<int, int>, double> slow;      // (node, device): 0.08 is 8 % slower
  std::map<int, double> slow_nodes;                // all devices of the node
  std::map<std::pair<int, int>, double> products;  // only matrix products of the device are slower
  std::map<std::pair<int, int>, double> fading;    // the device's held products are slower
  std::map<int, double> slow_inside;               // exchanges within the node are slower
  double all_reduce_GBps = 360, host_copy_GBps = 54;       // within a node, and with its host
  std::set<std::pair<int, int>> wrong_once, wrong_always;  // bits of the device
  std::set<int> without_report, disturbed, throttled;      // nodes
  std::set<std::pair<int, int>> slow_links;                // (a, b), a < b
  double link_noise = 0;    // 0: all links of a kind measure the same
  int nodes_of_switch = 0;  // small messages take 1.4 times as long between switches; 0: one switch
  std::map<int, std::string> drivers;  // these nodes have another driver than the fleet
  std::map<int, int> exit_codes;
  int boot = 0;        // another one: the same devices, measured once more
  double boot_sd = 0;  // a boot shifts a device's rate
  // Added to ln of a rate: (node, device, start, what). Device -1: of the node together.
  std::function<double(int, int, int, MeasuredRate)> effect;
  // (node, device): these counters grow by so much in the first start.
  std::map<std::pair<int, int>, std::map<std::string, double>> counters;
  bool health = false;                          // reports have health[]
  bool links = true;                            // several nodes have a report of their links
  bool links_by_rank = false;                   // each rank has a link with the one at its place
  int ports = 0;                                // each node has so many of 400 Gbit/s for RDMA
  std::function<double(int, int)> link_effect;  // added to ln of the bandwidth between two nodes
  // ln of what an all-reduce under full load reaches of what links promise: (parts, part, run).
  std::function<double(int, int, int)> under_load;
  bool training = false;     // all nodes together have a report of one training
  double efficiency = 0.95;  // that training's, against what its nodes reach by themselves
};

inline constexpr double kRateOfDevice = 2500;  // samples/s

// A run of an all-reduce of these ranks over NCCL; one of several parts that exchange at once.
CollectiveRecord all_reduce_run(const std::string& group, const std::vector<int>& members,
                                int nodes, std::optional<int> parts, int run);

// "node000"
std::string fleet_host(int node);

// The pairs of nodes, a < b, whose links are measured: all up to 64 nodes, beyond 16 partners of
// each node, drawn by `seed`.
std::vector<std::pair<int, int>> linked_nodes(int nodes, std::uint64_t seed);

// In the order of nodes, then that of the links, and that of the training.
std::vector<NamedReport> sample_fleet(const FleetShape& shape);

}  // namespace scalemark::reporting
