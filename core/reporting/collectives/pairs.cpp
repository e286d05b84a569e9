#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>

#include "core/base/text.h"
#include "core/reporting/collectives/collectives.h"
#include "core/reporting/record/finding_kinds.h"
#include "core/statistics/slow_links.h"
#include "core/statistics/summary.h"

namespace scalemark::reporting {
namespace {

using statistics::LinkTimes;
using statistics::Slowness;

LinkRecord link_of(const PairSamples& pair, const std::vector<LinkEnd>& ends) {
  const LinkEnd& a = ends.at(static_cast<std::size_t>(pair.a));
  const LinkEnd& b = ends.at(static_cast<std::size_t>(pair.b));
  std::vector<double> gigabytes;
  for (const double rate : pair.bytes_per_s) gigabytes.push_back(rate / 1e9);
  return {.a = a.name,
          .b = b.name,
          .latency_s = statistics::median(pair.latency_s),
          .bandwidth_GBps = statistics::median(gigabytes),
          .passes = static_cast<std::int64_t>(gigabytes.size()),
          .latency_ci95 = bounds_of(statistics::median_interval(pair.latency_s)),
          .bandwidth_ci95 = bounds_of(statistics::median_interval(gigabytes)),
          .a_rank = a.rank,
          .b_rank = b.rank,
          .a_device = a.device,
          .b_device = b.device};
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
AllNamed how_slow(const Slowness& slow, bool of_latency, const char* like) {
  return {{"size", of_latency ? "small" : "large"},
          {"ratio", slow.ratio},
          {"low", slow.ci95.low},
          {"high", slow.ci95.high},
          {"like", like}};
}

// Within a node the ends are ranks: "rank 3".
FindingPlace place_of(const LinkEnd& end) {
  constexpr std::string_view kRank = "rank ";
  if (end.name.starts_with(kRank)) return {.rank = std::stoi(end.name.substr(kRank.size()))};
  return {.rank = end.rank, .host = end.name, .device = end.device};
}

class Namer {
 public:
  Namer(const std::vector<PairSamples>& pairs, const std::vector<LinkRecord>& links,
        const std::vector<LinkEnd>& ends)
      : pairs_(pairs), links_(links), ends_(ends) {
    for (const LinkEnd& end : ends) {
      rails_.push_back(end.rail);
      ++ends_of_node_[end.name];
    }
  }

  void add_slow(bool of_latency, std::vector<Finding>& findings) const {
    const auto slow =
        statistics::find_slow(times_of(pairs_, of_latency), static_cast<int>(ends_.size()), rails_);
    std::map<std::string, int> slow_of_node;
    for (const auto& one : slow.nodes) ++slow_of_node[end_of(one.node).name];
    for (const auto& [node, by] : slow.nodes) {
      LinkEnd end = end_of(node);
      if (end.rank && slow_of_node[end.name] == ends_of_node_.at(end.name)) {
        if (end.rail > 0) continue;  // the first one speaks for the node
        end = {.name = end.name};
      }
      auto values = how_slow(by, of_latency, end.rank ? "rank's at its place" : "node's");
      values.emplace_back("node", link_end(end.name, end.rank, end.device));
      findings.push_back(make_finding(finding_kinds::slow_node, "", values, place_of(end)));
    }
    for (const auto& [a, b, by] : slow.links) {
      const char* like = of_two_nodes() ? "an ordinary one between the two nodes"
                                        : "the best link of its slower end";
      findings.push_back(make_finding(finding_kinds::slow_link, "", how_slow(by, of_latency, like),
                                      FindingPlace{.link = link_between(a, b).name()}));
    }
  }

 private:
  const LinkEnd& end_of(int node) const { return ends_.at(static_cast<std::size_t>(node)); }
  bool of_two_nodes() const { return ends_.size() > 2 && ends_of_node_.size() == 2; }

  const LinkRecord& link_between(int a, int b) const {
    const auto pair = std::ranges::find_if(
        pairs_, [&](const PairSamples& one) { return one.a == a && one.b == b; });
    return links_.at(static_cast<std::size_t>(pair - pairs_.begin()));
  }

  const std::vector<PairSamples>& pairs_;
  const std::vector<LinkRecord>& links_;
  const std::vector<LinkEnd>& ends_;
  std::vector<int> rails_;
  std::map<std::string, int> ends_of_node_;
};

}  // namespace

JudgedPairs judge_pairs(const std::vector<PairSamples>& pairs, const std::vector<LinkEnd>& ends,
                        bool between_nodes) {
  JudgedPairs judged;
  for (const PairSamples& pair : pairs) judged.links.push_back(link_of(pair, ends));
  if (between_nodes) judged.findings = findings_of_links(judged.links);
  const Namer namer(pairs, judged.links, ends);
  namer.add_slow(/*of_latency=*/true, judged.findings);
  namer.add_slow(/*of_latency=*/false, judged.findings);
  return judged;
}

}  // namespace scalemark::reporting
