// Reads what links carry: each of them, the best one of each node, and how much the ports of the
// two ends have for each rank.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/base/number_words.h"
#include "core/base/text.h"
#include "core/launch/slurm_lists.h"
#include "core/machine/network_ports.h"
#include "core/statistics/summary.h"
#include "report/accept/inventory.h"
#include "report/record/point_facts.h"
#include "report/record/report.h"
#include "report/record/runs.h"

namespace scalemark::acceptance {
namespace {

using reporting::Report;

Start start_of(const reporting::LinkRecord& link) {
  Start start;
  start.value = link.bandwidth_GBps;
  std::tie(start.low, start.high) = std::tie(link.bandwidth_ci95.low, link.bandwidth_ci95.high);
  return start;
}

}  // namespace

// A message takes as long as the slower one of its two ends needs: an end is as fast as its best
// link. Of a node with several network cards the slowest one counts.
void read_best_links(const Report& report, SeriesOfParts& all) {
  std::map<std::string, std::map<std::string, const reporting::LinkRecord*>> best;  // host, end
  for (const auto& [part, link] : link_parts(report)) {
    if (!is_measured(link->bandwidth_GBps)) continue;
    for (const auto& [host, end] :
         {std::pair(link->a, link->first()), std::pair(link->b, link->second())}) {
      const reporting::LinkRecord*& known = best[host][end];
      if (!known || link->bandwidth_GBps > known->bandwidth_GBps) known = link;
    }
  }
  for (const auto& [host, ends] : best) {
    const auto& [end, link] = *std::ranges::min_element(
        ends, {}, [](const auto& one) { return one.second->bandwidth_GBps; });
    Series& series = all.at(node_part(report, host));
    series.starts.push_back(start_of(*link));
    if (end != host) series.starts.back().fact = end;
  }
}

namespace {

// How many ranks of each host sent at the same time: links are measured of one rank of a node, or
// of each with the one at its place.
std::map<std::string, std::set<int>> senders_of(const Report& report) {
  std::map<std::string, std::set<int>> senders;
  for (const auto& link : report.links) {
    senders[link.a].insert(link.a_rank.value_or(0));
    senders[link.b].insert(link.b_rank.value_or(0));
  }
  return senders;
}

// Returns what the ports of a node have for each of its ranks, in GB/s.
std::optional<std::pair<LimitOf, reporting::Peak>> share_of_ports(const Report& report,
                                                                  const std::string& name,
                                                                  bool on_gpus, std::size_t ranks) {
  const monitoring::Host* host = reporting::find_host(report.environment.hosts, name);
  if (host == nullptr || ranks == 0) return std::nullopt;
  const auto use = on_gpus ? monitoring::PortUse::kAll : monitoring::PortUse::kOneSocket;
  const auto ports = monitoring::network_ports(*host, use, report.environment.variables);
  const auto used = monitoring::ports_of_ranks(ports, static_cast<int>(ranks),
                                               on_gpus ? static_cast<int>(host->gpus.size()) : 0);
  if (used.ports == 0) return std::nullopt;
  const double each = used.Gbit_per_s / static_cast<double>(ranks);
  return std::pair(ports.rdma ? LimitOf::kRdma : LimitOf::kSockets,
                   reporting::Peak{each / 8, significant(each, 4) + " Gbit/s that ports of " +
                                                 name + " have for each of its ranks"});
}

// The shares of a report's hosts, each found once: a fleet has far more links than nodes.
class PortShares {
 public:
  explicit PortShares(const Report& report) : report_(report), senders_(senders_of(report)) {}

  // The end with less decides. Where one rank of several was measured it is not known which ports
  // it could use.
  void add(Series& series, const reporting::LinkRecord& link) {
    const bool on_gpus = link.a_device.starts_with("cuda");
    if (!link.a_rank && has_gpus(link.a)) return;
    for (const std::string& name : {link.a, link.b}) {
      const Share& share = of(name, on_gpus);
      if (!share) {
        series.at_most.clear();
        return;
      }
      const auto [most, is_new] = series.at_most.try_emplace(share->first, share->second);
      if (!is_new && share->second.per_sec < most->second.per_sec) most->second = share->second;
    }
  }

 private:
  using Share = std::optional<std::pair<LimitOf, reporting::Peak>>;

  const Share& of(const std::string& name, bool on_gpus) {
    const auto [found, is_new] = shares_.try_emplace({name, on_gpus});
    if (is_new) found->second = share_of_ports(report_, name, on_gpus, senders_[name].size());
    return found->second;
  }

  bool has_gpus(const std::string& name) {
    const auto [found, is_new] = has_gpus_.try_emplace(name);
    if (is_new) {
      const monitoring::Host* host = reporting::find_host(report_.environment.hosts, name);
      found->second = host != nullptr && !host->gpus.empty();
    }
    return found->second;
  }

  const Report& report_;
  std::map<std::string, std::set<int>> senders_;
  std::map<std::pair<std::string, bool>, Share> shares_;
  std::map<std::string, bool> has_gpus_;
};

using reporting::CollectiveRecord;

// Names the hosts of the ranks of runs, where links name the ranks: elsewhere a node has one.
class HostsOfRuns {
 public:
  explicit HostsOfRuns(const Report& report) {
    for (const reporting::LinkRecord& link : report.links) {
      if (link.a_rank) host_of_.emplace(*link.a_rank, link.a);
      if (link.b_rank) host_of_.emplace(*link.b_rank, link.b);
    }
    const auto& hosts = report.environment.hosts;
    for (std::size_t i = 0; host_of_.empty() && i < hosts.size(); ++i)
      host_of_nth_.emplace(static_cast<int>(i), hosts[i].hostname);
  }

  std::string of(const CollectiveRecord& run) const {
    const auto& known = host_of_.empty() ? host_of_nth_ : host_of_;
    std::set<std::string> hosts;
    for (const int member : run.members) {
      if (const auto host = known.find(member); host != known.end()) hosts.insert(host->second);
    }
    return launching::compressed_nodelist({hosts.begin(), hosts.end()});
  }

 private:
  std::map<int, std::string> host_of_, host_of_nth_;  // by rank
};

// The runs of one part that count.
struct RunsOfPart {
  std::vector<double> logs;  // ln of bus bandwidth in GB/s
  std::string why;           // why others do not count
  const CollectiveRecord* first = nullptr;
  // ln of what it reached, by what was expected where that is known. A part of which no run counts
  // comes last: it hides no other one that is slow.
  double reached() const {
    if (logs.empty()) return std::numeric_limits<double>::infinity();
    return statistics::mean(logs) - std::log(first->expected_busbw_GBps.value_or(1));
  }
};

std::map<std::string, RunsOfPart> runs_of_parts(const Report& report) {
  const reporting::FitOfRuns fit(report);
  std::map<std::string, RunsOfPart> parts;  // by group
  for (const CollectiveRecord& run : report.collectives) {
    RunsOfPart& part = parts[run.group];
    if (!part.first) part.first = &run;
    if (std::string why = why_left_out(run, fit); !why.empty()) {
      part.why = std::move(why);
    } else if (run.busbw_GBps && is_measured(*run.busbw_GBps)) {
      part.logs.push_back(std::log(*run.busbw_GBps));
    }
  }
  return parts;
}

// The slowest one of several parts is judged: each has its share of the error (Bonferroni). They
// use one network at the same time, so all of them say how much runs differ.
Start start_of(const RunsOfPart& judged, const std::vector<RunsOfPart>& parts) {
  Start start;
  if (judged.logs.empty()) {
    start.why = "no run of it counts: " + judged.why;
    return start;
  }
  double squares = 0, degrees = 0, compared = 0;
  for (const RunsOfPart& part : parts) {
    if (part.logs.empty()) continue;
    squares += statistics::sum_of_squares(part.logs, statistics::mean(part.logs));
    degrees += static_cast<double>(part.logs.size()) - 1;
    ++compared;
  }
  const double mean = statistics::mean(judged.logs);
  start.value = std::exp(mean);
  if (degrees < 1) return start;
  const double error = (1 - kConfidenceOfFloors) / compared;
  const double half = statistics::students_t_quantile(1 - error / 2, degrees) *
                      std::sqrt(squares / degrees / static_cast<double>(judged.logs.size()));
  start.low = std::exp(mean - half);
  start.high = std::exp(mean + half);
  return start;
}

std::string division_name(int parts, std::size_t nodes) {
  if (parts == 1) return "all " + counted(nodes, "node");
  return std::to_string(parts) + " parts of " + counted(nodes, "node") + " at once";
}

// The all-reduces of one report whose parts exchanged at the same time.
struct Division {
  const Report* report = nullptr;
  std::string name;
  std::vector<RunsOfPart> parts;
};

std::vector<Division> divisions_of(std::span<const NamedReport> reports) {
  std::vector<Division> all;
  for (const auto& [path, report] : reports) {
    if (report.links.empty()) continue;               // other collectives are no acceptance
    std::map<int, std::vector<RunsOfPart>> by_parts;  // by the number of parts
    for (auto& [group, part] : runs_of_parts(report)) {
      if (part.first->collective != collectives::Collective::kAllReduce) continue;
      by_parts[part.first->parts.value_or(1)].push_back(std::move(part));
    }
    for (auto& [count, parts] : by_parts) {
      std::size_t nodes = 0;
      for (const RunsOfPart& part : parts) nodes += static_cast<std::size_t>(part.first->nodes);
      all.push_back({&report, division_name(count, nodes), std::move(parts)});
    }
  }
  return all;
}

}  // namespace

void read_fleet_all_reduce(std::span<const NamedReport> reports, SeriesOfParts& all) {
  const std::vector<Division> divisions = divisions_of(reports);
  std::map<std::string, std::set<std::string>> nodes_of;  // by division: waves have other nodes
  for (const Division& one : divisions) nodes_of[one.name].insert(nodes_in_words(*one.report));
  for (const Division& one : divisions) {
    const bool alone = nodes_of[one.name].size() < 2;
    const auto slowest = std::ranges::min_element(one.parts, {}, &RunsOfPart::reached);
    Series& series =
        all.at(whole_fleet(), alone ? one.name : one.name + ", on " + nodes_in_words(*one.report));
    series.starts.push_back(start_of(*slowest, one.parts));
    const CollectiveRecord& run = *slowest->first;
    if (one.parts.size() > 1) {
      const std::string hosts = HostsOfRuns(*one.report).of(run);
      if (!hosts.empty()) series.starts.back().fact = "slowest of them " + hosts;
    }
    series.at_most.clear();
    // The CPU decides what sockets carry: their share is reported only.
    if (run.device != "cuda" || !run.expected_busbw_GBps) continue;
    if (!is_measured(*run.expected_busbw_GBps)) continue;
    series.at_most[LimitOf::kExpected] = {*run.expected_busbw_GBps, run.expected_source};
  }
}

void read_links(const Report& report, SeriesOfParts& all) {
  PortShares shares(report);
  for (const auto& [part, link] : link_parts(report)) {
    if (!is_measured(link->bandwidth_GBps)) continue;
    Series& series = all.at(part);
    series.starts.push_back(start_of(*link));
    series.at_most.clear();
    shares.add(series, *link);
  }
}

}  // namespace scalemark::acceptance
