#include "core/reporting/collectives/topology.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "core/collectives/words.h"

namespace scalemark::reporting {
namespace {

using collectives::Collective;
using Fixed = std::map<std::string, std::string>;

struct Link {
  double alpha_s = 0, bandwidth_GBps = 0;
  Fixed fixed;
};

// Beside other work a link gives less than it can.
bool is_beside_others(const Fixed& fixed) {
  return std::ranges::any_of(std::array{"congestion", "overlap_compute"}, [&](const char* trait) {
    const auto found = fixed.find(trait);
    return found != fixed.end() && found->second == "on";
  });
}

// A fit's alpha is that of one message already (core/collectives/ring_terms.h).
std::optional<Link> best_link(const std::vector<CollectiveFit>& fits, const std::string& level,
                              Collective collective) {
  std::optional<Link> best;
  for (const CollectiveFit& fit : fits) {
    const bool asked = fit.level == level && fit.fixed.at("collective") == name_of(collective) &&
                       !is_beside_others(fit.fixed);
    if (!asked || !fit.bandwidth_GBps) continue;
    if (best && *fit.bandwidth_GBps <= best->bandwidth_GBps) continue;
    best = Link{fit.alpha_s, *fit.bandwidth_GBps, fit.fixed};
  }
  return best;
}

std::string about(const std::string& level, const Fixed& fixed) {
  return level + ": " + fixed.at("collective") + " over " + fixed.at("backend") + " on " +
         fixed.at("world_size") + " ranks. ";
}

}  // namespace

std::optional<std::string> topology_json(const Report& report) {
  nlohmann::ordered_json links = nlohmann::ordered_json::object();
  std::string sources;
  for (const char* level : {"intra_node", "inter_node"}) {
    auto link = best_link(report.collective_fits, level, Collective::kSendRecv);
    if (!link) link = best_link(report.collective_fits, level, Collective::kAllReduce);
    if (!link) continue;
    links[level] = {{"alpha_s", link->alpha_s}, {"bandwidth_GBps", link->bandwidth_GBps}};
    sources += about(level, link->fixed);
  }
  if (links.empty()) return std::nullopt;
  const nlohmann::ordered_json topology{
      {"about", sources + "Measured by scalemark comm, run " + report.run_id}, {"links", links}};
  return topology.dump(2) + "\n";
}

}  // namespace scalemark::reporting
