#include "core/reporting/collectives/pairs.h"

#include <algorithm>
#include <iterator>

#include "core/base/text.h"
#include "core/reporting/collectives/collectives.h"
#include "core/reporting/record/finding_kinds.h"
#include "core/statistics/median_interval.h"
#include "core/statistics/slow_links.h"

namespace scalemark::reporting {
namespace {

using statistics::LinkTimes;
using statistics::Slowness;

Bounds bounds_of(const std::vector<double>& values) {
  const auto interval = statistics::median_interval(values);
  return interval ? Bounds{interval->low, interval->high} : Bounds{};
}

LinkRecord link_of(const PairSamples& pair, const std::vector<std::string>& names) {
  std::vector<double> gigabytes;
  for (const double rate : pair.bytes_per_s) gigabytes.push_back(rate / 1e9);
  return {.a = names.at(static_cast<std::size_t>(pair.a)),
          .b = names.at(static_cast<std::size_t>(pair.b)),
          .latency_s = statistics::median(pair.latency_s),
          .bandwidth_GBps = statistics::median(gigabytes),
          .passes = static_cast<std::int64_t>(gigabytes.size()),
          .latency_ci95 = bounds_of(pair.latency_s),
          .bandwidth_ci95 = bounds_of(gigabytes)};
}

// Times of a small message, or of a byte of large ones.
std::vector<LinkTimes> times_of(const std::vector<PairSamples>& pairs, bool of_latency) {
  std::vector<LinkTimes> times;
  for (const PairSamples& pair : pairs) {
    LinkTimes& link = times.emplace_back(
        LinkTimes{pair.a, pair.b, pair.quickest_s.empty() ? pair.latency_s : pair.quickest_s});
    if (of_latency) continue;
    link.seconds.clear();
    for (const double rate : pair.bytes_per_s) link.seconds.push_back(1 / rate);
  }
  return times;
}

// "take 3.1 x (2.9 to 3.3) as long"
std::string how_slow(const Slowness& slow) {
  return "take " + significant(slow.ratio, 3) + " x (" + significant(slow.ci95.low, 3) + " to " +
         significant(slow.ci95.high, 3) + ") as long";
}

// Within a node the ends are ranks: "rank 3".
FindingPlace place_of_node(const std::string& name) {
  constexpr std::string_view kRank = "rank ";
  if (name.starts_with(kRank)) return {.rank = std::stoi(name.substr(kRank.size()))};
  return {.host = name};
}

class Namer {
 public:
  Namer(const std::vector<PairSamples>& pairs, const std::vector<std::string>& names)
      : pairs_(pairs), names_(names) {}

  void add_slow(bool of_latency, std::vector<Finding>& findings) const {
    const std::string what = of_latency ? "small messages " : "large messages ";
    const auto slow =
        statistics::find_slow(times_of(pairs_, of_latency), static_cast<int>(names_.size()));
    for (const auto& [node, by] : slow.nodes) {
      findings.push_back(make_finding(
          finding_kinds::slow_node, "",
          name(node) + " is slow: " + what + "over its best link " + how_slow(by) +
              " as over an ordinary node's; look at its network interface and what else runs "
              "there",
          place_of_node(name(node))));
    }
    for (const auto& [a, b, by] : slow.links) {
      findings.push_back(make_finding(
          finding_kinds::slow_link, "",
          "the link from " + name(a) + " to " + name(b) + " is slow: " + what + how_slow(by) +
              " as over the best link of its slower end; look at cables and switches between the "
              "two",
          FindingPlace{.link = name(a) + " to " + name(b)}));
    }
  }

 private:
  std::string name(int node) const { return names_.at(static_cast<std::size_t>(node)); }

  const std::vector<PairSamples>& pairs_;
  const std::vector<std::string>& names_;
};

}  // namespace

JudgedPairs judge_pairs(const std::vector<PairSamples>& pairs,
                        const std::vector<std::string>& names, bool between_nodes) {
  JudgedPairs judged;
  for (const PairSamples& pair : pairs) judged.links.push_back(link_of(pair, names));
  if (between_nodes) judged.findings = findings_of_links(judged.links);
  const Namer namer(pairs, names);
  namer.add_slow(/*of_latency=*/true, judged.findings);
  namer.add_slow(/*of_latency=*/false, judged.findings);
  return judged;
}

}  // namespace scalemark::reporting
