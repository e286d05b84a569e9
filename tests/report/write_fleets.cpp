// Writes the reports of generated fleets into folders, and what is wrong with each: for the tests
// of `accept`. `write-fleets FOLDER COUNT SEED [NODES DEVICES [planted|EFFICIENCY]]`:
// FOLDER/3/acc/... and FOLDER/3/truth.json. `planted`: faults of each kind, those of the network
// too; with an efficiency all nodes trained together.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string_view>

#include "report/record/report_json.h"
#include "tests/report/sample_fleet.h"
#include "tools/programs/commands.h"

namespace {

using namespace scalemark::reporting;
namespace fs = std::filesystem;

// A fleet with some of everything, of a seed.
FleetShape drawn(std::uint64_t seed, int nodes, int devices) {
  std::mt19937_64 random(seed);
  const auto below = [&](int end) {
    return static_cast<int>(random() % static_cast<std::uint64_t>(end));
  };
  FleetShape shape{.seed = seed};
  shape.nodes = nodes > 0 ? nodes : 1 + below(10);
  shape.devices = devices > 0 ? devices : 1 + below(8);
  shape.starts = 1 + below(5);
  const auto node = [&] { return below(shape.nodes); };
  for (int i = below(4); i > 0; --i)
    shape.slow[{node(), below(shape.devices)}] = 0.02 * (1 + below(8));
  if (below(3) == 0) shape.slow_nodes[node()] = 0.1;
  if (below(3) == 0) shape.products[{node(), below(shape.devices)}] = 0.12;
  if (below(4) == 0 && shape.nodes > 1) shape.without_report.insert(node());
  if (below(4) == 0) shape.disturbed.insert(node());
  if (below(4) == 0) shape.throttled.insert(node());
  if (below(4) == 0) shape.drivers[node()] = "570.10";
  if (below(4) == 0)
    shape.exit_codes[node()] = std::array{1, 69, 75, 83, 84}.at(static_cast<std::size_t>(below(5)));
  shape.health = below(2) == 0;
  if (below(3) == 0) shape.counters[{node(), below(shape.devices)}] = {{"xid_events", 1}};
  const int a = node(), b = node();
  if (a < b) shape.slow_links.insert({a, b});
  shape.links = below(4) != 0;
  return shape;
}

// A fleet of 16 nodes or more, whose links were measured rank by rank; 32 nodes, or a quarter of a
// small fleet, stand behind each leaf switch. `truth` gets what is wrong.
FleetShape planted(std::uint64_t seed, int nodes, int devices, nlohmann::json& truth) {
  const int of_leaf = std::min(32, std::max(1, nodes / 4));
  std::mt19937_64 random(seed);
  const auto below = [&](int end) {
    return static_cast<int>(random() % static_cast<std::uint64_t>(end));
  };
  FleetShape shape{.seed = seed, .nodes = nodes, .devices = devices};
  shape.health = shape.links_by_rank = shape.training = true;
  shape.ports = devices;
  shape.link_noise = 0.03;
  std::set<int> used;
  const auto node = [&] {
    int one = below(nodes);
    while (!used.insert(one).second) one = below(nodes);
    return one;
  };
  for (int i = 0; i < 2 + nodes / 64; ++i) {
    const int slow = node(), fading = node(), silent = node(), heard = node();
    const int device = below(devices);
    shape.slow[{slow, device}] = 0.09;
    shape.fading[{fading, device}] = 0.2;
    shape.without_report.insert(silent);
    shape.counters[{heard, device}] = {{"xid_events", 1}};
    truth["slow_devices"].push_back(fleet_host(slow) + " cuda:" + std::to_string(device));
    truth["fading"].push_back(fleet_host(fading) + " cuda:" + std::to_string(device));
    truth["xid"].push_back(fleet_host(heard) + " cuda:" + std::to_string(device));
  }
  for (int i = 0; i < 1 + nodes / 256; ++i) {
    const int slow = node(), inside = node(), without_links = node();
    shape.slow_nodes[slow] = 0.09;
    shape.slow_inside[inside] = 0.25;
    truth["slow_nodes"].push_back(fleet_host(slow));
    truth["slow_inside"].push_back(fleet_host(inside));
    truth["slow_network"].push_back(fleet_host(without_links));
  }
  const int leaf = below(nodes / of_leaf);
  truth["slow_leaf"] = {fleet_host(of_leaf * leaf), fleet_host(of_leaf * leaf + of_leaf - 1)};
  const std::set<std::string> slow_network(truth["slow_network"].begin(),
                                           truth["slow_network"].end());
  shape.link_effect = [=](int a, int b) {
    const bool slow = slow_network.contains(fleet_host(a)) ||
                      slow_network.contains(fleet_host(b)) ||
                      (a / of_leaf == leaf) != (b / of_leaf == leaf);
    return slow ? std::log(0.4) : 0;
  };
  const auto pairs = linked_nodes(nodes, seed);
  for (int i = 0; i < 3; ++i) {
    const auto& pair = pairs[static_cast<std::size_t>(below(static_cast<int>(pairs.size())))];
    shape.slow_links.insert(pair);
    truth["slow_links"].push_back(fleet_host(pair.first) + " to " + fleet_host(pair.second));
  }
  return shape;
}

void write(const fs::path& folder, const FleetShape& shape, nlohmann::json truth = {}) {
  for (const NamedReport& one : sample_fleet(shape)) {
    fs::create_directories(folder / one.name);
    std::ofstream(folder / one.name / "report.json") << to_json(one.report);
  }
  truth["nodes"] = shape.nodes;
  truth["devices"] = shape.devices;
  truth["without_report"] = nlohmann::json::array();
  for (const int node : shape.without_report) truth["without_report"].push_back(fleet_host(node));
  std::ofstream(folder / "truth.json") << truth;
}

}  // namespace

int scalemark::commands::write_fleets(int argc, char** argv) {
  if (argc != 4 && argc != 6 && argc != 7) {
    std::fprintf(stderr,
                 "usage: write-fleets FOLDER COUNT SEED [NODES DEVICES [planted|EFFICIENCY]]\n");
    return 64;
  }
  const int nodes = argc > 4 ? std::atoi(argv[4]) : 0, devices = argc > 4 ? std::atoi(argv[5]) : 0;
  for (int i = 0; i < std::atoi(argv[2]); ++i) {
    const auto seed = static_cast<std::uint64_t>(std::atoll(argv[3]) + i);
    const fs::path folder = fs::path(argv[1]) / std::to_string(i);
    nlohmann::json truth;
    if (argc == 7 && std::string_view(argv[6]) == "planted") {
      const FleetShape shape = planted(seed, nodes, devices, truth);
      write(folder, shape, truth);
      continue;
    }
    FleetShape shape = drawn(seed, nodes, devices);
    shape.training = argc == 7;
    if (shape.training) shape.efficiency = std::atof(argv[6]);
    write(folder, shape);
  }
  return 0;
}
