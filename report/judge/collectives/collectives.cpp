#include "report/judge/collectives/collectives.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/number_words.h"
#include "core/base/text.h"
#include "core/collectives/bandwidth.h"
#include "core/collectives/collective.h"
#include "core/statistics/slow_links.h"
#include "core/statistics/summary.h"
#include "report/judge/collectives/words.h"
#include "report/record/finding_kinds.h"

namespace scalemark::reporting {
namespace {

using collectives::Collective;

std::optional<Latency> latency_of(std::vector<double> calls) {
  if (calls.empty()) return std::nullopt;
  std::ranges::sort(calls);
  const auto quantile = [&](double p) { return statistics::quantile_of_sorted(calls, p); };
  Latency latency{.n = static_cast<std::int64_t>(calls.size()), .p50 = quantile(0.50)};
  if (calls.size() >= kCallsForP95) latency.p95 = quantile(0.95);
  if (calls.size() >= kCallsForP99) latency.p99 = quantile(0.99);
  return latency;
}

void set_bandwidths(CollectiveRecord& run) {
  if (!(run.time_s > 0)) return;
  const auto found = collectives::bandwidth(run.collective, run.world_size, run.bytes, run.time_s);
  if (!found) return;
  run.algbw_GBps = found->algbw_GBps;
  run.busbw_GBps = found->busbw_GBps;
}

// Returns how many elements `member` receives.
std::int64_t elements_of(const CollectiveRecord& run, std::ptrdiff_t member) {
  return collectives::output_elements({.collective = run.collective,
                                       .world_size = run.world_size,
                                       .elements = run.bytes / collectives::bytes_of(run.dtype)},
                                      static_cast<int>(member));
}

// Returns the number that a member has in the launch.
int rank_of(const CollectiveRecord& run, std::ptrdiff_t member) {
  const auto& ranks = run.members;
  const bool known = member >= 0 && member < std::ssize(ranks);
  return known ? ranks[static_cast<std::size_t>(member)] : static_cast<int>(member);
}

std::string rank_text(const CollectiveRecord& run, std::ptrdiff_t member) {
  return "rank " + std::to_string(rank_of(run, member));
}

bool is_wrong(const CollectiveTimes& rank) { return rank.wrong > 0; }

std::string why_wrong(const CollectiveRecord& run, const std::vector<CollectiveTimes>& ranks) {
  const auto first = std::ranges::find_if(ranks, is_wrong);
  const auto member = first - ranks.begin();
  std::string text = grouped(first->wrong) + " of " + grouped(elements_of(run, member)) +
                     " elements wrong on " + rank_text(run, member) + ", the first ";
  if (first->wrong_from) {
    text += "(" + std::to_string(first->first_wrong) + ") came from " +
            rank_text(run, *first->wrong_from);
  } else {
    text += "is " + std::to_string(first->first_wrong);
  }
  const auto others = std::ranges::count_if(ranks, is_wrong) - 1;
  if (others == 0) return text;
  return text + "; " + counted(others, "more rank") + " received wrong elements";
}

}  // namespace

CollectiveRecord assemble_collective(CollectiveRecord run,
                                     const std::vector<CollectiveTimes>& ranks,
                                     std::vector<double> slowest_of_each_call) {
  if (ranks.empty()) throw bug("a collective without a rank");
  run.iterations = ranks.front().iterations;
  run.calls = ranks.front().calls;
  run.time_s = 0;
  std::int64_t wrong = 0;
  for (const CollectiveTimes& rank : ranks) {
    run.time_s += rank.time_s / static_cast<double>(ranks.size());
    wrong += rank.wrong;
  }
  run.latency_s = latency_of(std::move(slowest_of_each_call));
  set_bandwidths(run);
  if (run.collective != Collective::kBarrier) run.wrong = wrong;
  if (wrong > 0) {
    run.status = PointStatus::kFailed;
    run.reason = why_wrong(run, ranks);
    run.wrong_rank = rank_of(run, std::ranges::find_if(ranks, is_wrong) - ranks.begin());
  }
  return run;
}

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

// Returns the times of a small message, or the times per byte of large ones.
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

// Gives the words of "take 3.1 x (2.9 to 3.3) as long".
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
        if (end.rail > 0) continue;  // the first rail stands for the whole node
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
