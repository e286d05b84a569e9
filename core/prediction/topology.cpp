#include "core/prediction/topology.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/error.h"
#include "core/base/strict_json.h"

namespace scalemark::prediction {
namespace {

using Json = nlohmann::json;

constexpr double kBytesPerGB = 1e9;
constexpr const char* kHint = "docs/PREDICTION.md, \"Topology file\", shows one";

std::optional<double> number(const Json& object, const char* key, bool zero_allowed,
                             const std::string& where) {
  if (!object.contains(key)) return std::nullopt;
  const Json& value = object[key];
  const bool fits = value.is_number() && std::isfinite(value.get<double>()) &&
                    (value.get<double>() > 0 || (zero_allowed && value.get<double>() == 0));
  if (!fits) {
    throw configuration(where + ": " + key + " is " + value.dump(),
                        zero_allowed ? "a number from 0 on" : "a number above 0", kHint);
  }
  return value.get<double>();
}

std::optional<int> read_ranks_per_node(const Json& json, const std::string& where) {
  if (!json.contains("ranks_per_node")) return std::nullopt;
  const Json& value = json["ranks_per_node"];
  if (!value.is_number_integer() || value < 1 || value > INT_MAX) {
    throw configuration(where + ": ranks_per_node is " + value.dump(), "a whole number from 1 on",
                        kHint);
  }
  return value.get<int>();
}

KnownLink read_link(const Json& links, const char* level, const JsonSource& source) {
  if (!links.contains(level)) return {};
  const std::string where = "'" + source.file + "', " + level;
  const Json& json = links[level];
  refuse_other_keys(json, {"alpha_s", "bandwidth_GBps"}, where, source);
  KnownLink link{.alpha_s = number(json, "alpha_s", true, where)};
  if (const auto bandwidth = number(json, "bandwidth_GBps", false, where)) {
    link.s_per_byte = 1 / (*bandwidth * kBytesPerGB);
  }
  return link;
}

}  // namespace

Layout layout_of(int world_size, int ranks_per_node) {
  if (world_size < 1 || ranks_per_node < 1) throw bug("a layout of no ranks");
  const int nodes = world_size / ranks_per_node + (world_size % ranks_per_node != 0);
  return {.nodes = nodes, .ranks_per_node = std::min(world_size, ranks_per_node)};
}

Topology parse_topology(std::string_view text, std::string_view origin) {
  const std::string name(origin);
  const std::string where = "'" + name + "'";
  const JsonSource source{name, kHint};
  const Json json = parse_strictly(text, source);
  refuse_other_keys(json, {"about", "ranks_per_node", "links"}, where, source);
  Topology topology{.ranks_per_node = read_ranks_per_node(json, where)};
  if (json.contains("links")) {
    const Json& links = json["links"];
    refuse_other_keys(links, {"intra_node", "inter_node"}, where + ", links", source);
    topology.links = {read_link(links, "intra_node", source),
                      read_link(links, "inter_node", source)};
  }
  return topology;
}

}  // namespace scalemark::prediction
