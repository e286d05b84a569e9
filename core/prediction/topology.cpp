#include "core/prediction/topology.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/json_depth.h"

namespace scalemark::prediction {
namespace {

using Json = nlohmann::json;

constexpr double kBytesPerGB = 1e9;
constexpr const char* kHint = "docs/PREDICTION.md, \"Topology file\", shows one";

// Parses and remembers the first key that occurs twice in one object: JSON allows that, but one of
// the two values would be ignored without notice.
Json parse_strictly(std::string_view text, const std::string& origin) {
  std::vector<std::set<std::string>> open;
  std::string twice;
  const auto watch = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key &&
        !open.back().insert(parsed.get<std::string>()).second) {
      twice = parsed.get<std::string>();
    }
    return true;
  };
  if (nests_too_deep(text)) {
    throw configuration("'" + origin + "' nests deeper than any topology", {}, kHint);
  }
  Json json = Json::parse(text, watch, /*allow_exceptions=*/false);
  if (json.is_discarded()) throw configuration("'" + origin + "' is not JSON", {}, kHint);
  if (!twice.empty()) throw configuration("'" + origin + "' has the key '" + twice + "' twice");
  return json;
}

void refuse_other_keys(const Json& object, const std::set<std::string>& known,
                       const std::string& where) {
  if (!object.is_object()) throw configuration(where + " is no JSON object", {}, kHint);
  std::string allowed;
  for (const auto& key : known) allowed += (allowed.empty() ? "" : ", ") + key;
  for (const auto& [key, value] : object.items()) {
    if (!known.contains(key)) {
      throw configuration(where + " has the unknown key '" + key + "'", allowed + " are known",
                          kHint);
    }
  }
}

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

KnownLink read_link(const Json& links, const char* level, const std::string& origin) {
  if (!links.contains(level)) return {};
  const std::string where = "'" + origin + "', " + level;
  const Json& json = links[level];
  refuse_other_keys(json, {"alpha_s", "bandwidth_GBps"}, where);
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
  const Json json = parse_strictly(text, name);
  refuse_other_keys(json, {"about", "ranks_per_node", "links"}, where);
  Topology topology{.ranks_per_node = read_ranks_per_node(json, where)};
  if (json.contains("links")) {
    const Json& links = json["links"];
    refuse_other_keys(links, {"intra_node", "inter_node"}, where + ", links");
    topology.links = {read_link(links, "intra_node", name), read_link(links, "inter_node", name)};
  }
  return topology;
}

}  // namespace scalemark::prediction
