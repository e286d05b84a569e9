// Writes the reports of generated fleets into folders, and what is wrong with each: for the tests
// of `accept`. `write-fleets FOLDER COUNT SEED [NODES DEVICES [EFFICIENCY]]`: FOLDER/3/acc/... and
// FOLDER/3/truth.json; with an efficiency all nodes trained together, too.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

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

void write(const fs::path& folder, const FleetShape& shape) {
  for (const NamedReport& one : sample_fleet(shape)) {
    fs::create_directories(folder / one.name);
    std::ofstream(folder / one.name / "report.json") << to_json(one.report);
  }
  nlohmann::json truth = {{"nodes", shape.nodes}, {"devices", shape.devices}};
  truth["without_report"] = nlohmann::json::array();
  for (const int node : shape.without_report) truth["without_report"].push_back(fleet_host(node));
  std::ofstream(folder / "truth.json") << truth;
}

}  // namespace

int scalemark::commands::write_fleets(int argc, char** argv) {
  if (argc != 4 && argc != 6 && argc != 7) {
    std::fprintf(stderr, "usage: write-fleets FOLDER COUNT SEED [NODES DEVICES [EFFICIENCY]]\n");
    return 64;
  }
  const int nodes = argc > 4 ? std::atoi(argv[4]) : 0, devices = argc > 4 ? std::atoi(argv[5]) : 0;
  for (int i = 0; i < std::atoi(argv[2]); ++i) {
    const auto seed = static_cast<std::uint64_t>(std::atoll(argv[3]) + i);
    FleetShape shape = drawn(seed, nodes, devices);
    shape.training = argc > 6;
    if (shape.training) shape.efficiency = std::atof(argv[6]);
    write(fs::path(argv[1]) / std::to_string(i), shape);
  }
  return 0;
}
