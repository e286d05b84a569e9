#include "engine/comm/comm_report.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "core/base/durations.h"
#include "core/base/text.h"
#include "core/catalogue/backends.h"
#include "core/machine/network_ports.h"
#include "core/machine/survey.h"
#include "core/plan/collectives/support.h"
#include "engine/process/machines.h"
#include "report/judge/point/disturbances.h"
#include "report/judge/point/telemetry.h"
#include "report/keep/disk.h"
#include "report/record/finding_kinds.h"
#include "report/record/point_facts.h"
#include "report/record/rank_fields.h"
#include "report/record/runs.h"
#include "report/record/verdict.h"

namespace scalemark::communicating {
namespace {

constexpr std::size_t kBufferBytes = 64 << 20;
constexpr double kCopying_s = 0.3;
constexpr int kMostTries = 3;
// An all-reduce of less is no matter of bandwidth.
constexpr std::int64_t kLongPerRank = 512 << 10;
constexpr const char* kDrawn = "drawn";  // the placement of a part of a fleet

// Returns the bytes per second, read and written, that this rank copies.
double copied_bytes_per_s() {
  std::vector<char> from(kBufferBytes, 1), to(kBufferBytes, 2);
  const auto begin = std::chrono::steady_clock::now();
  double copies = 0;
  do {
    std::memcpy(to.data(), from.data(), kBufferBytes);
    from[0] = to[kBufferBytes - 1];  // the next copy needs this one
    ++copies;
  } while (seconds_since(begin) < kCopying_s);
  return 2 * copies * kBufferBytes / seconds_since(begin);
}

// Returns the ports of `host` that its `ranks` fill.
std::optional<collectives::NodeNetwork> ports_of(const monitoring::Host& host,
                                                 std::string_view backend, int ranks) {
  const bool one = catalogue::uses_one_interface(backend),
             nccl = catalogue::needs_one_rank_per_gpu(backend);
  const auto all = monitoring::network_ports(
      host, one ? monitoring::PortUse::kOneSocket : monitoring::PortUse::kAll,
      nccl ? monitoring::allowed_variables() : std::map<std::string, std::string>{});
  const int gpus = nccl ? static_cast<int>(host.gpus.size()) : 0;
  const auto used = monitoring::ports_of_ranks(all, ranks, gpus);
  if (used.ports == 0) return std::nullopt;
  return collectives::NodeNetwork{.ports = used.ports, .Gbit_per_s = used.Gbit_per_s};
}

// Members of the node that has most.
int most_on_a_node(const std::vector<int>& node_of_member) {
  std::map<int, int> members;
  for (const int node : node_of_member) ++members[node];
  int most = 0;
  for (const auto& [node, count] : members) most = std::max(most, count);
  return most;
}

// The bandwidth that one rank copied with, and its readings of its machine meanwhile.
struct Copied {
  int node = 0;
  double bytes_per_s = 0;
  reporting::RankReadings readings;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<Copied>& c) {
  a.values(c.node, c.bytes_per_s, c.readings);
}

Copied copied(process::RankContext& context) {
  auto& sampler = process::fresh_telemetry(context, process::leads_node(context));
  context.control().barrier();
  const auto begun = std::chrono::steady_clock::now();
  sampler.begin();
  Copied mine{.node = context.world().node, .bytes_per_s = copied_bytes_per_s()};
  process::wait_until_watched(context.world().local_world_size, begun);
  sampler.end();
  mine.readings = process::readings(context);
  return mine;
}

// Holds the bandwidth of the slowest node, in 1e9 bytes per second, and what disturbed it.
using JudgedMemory = std::pair<double, std::string>;

JudgedMemory judged(const std::vector<Copied>& of_ranks, std::span<const monitoring::Host> hosts) {
  std::map<int, double> of_node;
  std::vector<reporting::RankReadings> readings;
  for (const Copied& one : of_ranks) {
    of_node[one.node] += one.bytes_per_s;
    readings.push_back(one.readings);
  }
  const auto slowest =
      std::ranges::min_element(of_node, {}, [](const auto& node) { return node.second; });
  return {slowest->second / 1e9, reporting::in_words(reporting::disturbances_of(
                                     reporting::telemetry_of("", readings), hosts))};
}

// Only rank 0 knows the hosts, and all ranks must agree whether to try again.
JudgedMemory measure_once(process::RankContext& context, std::span<const monitoring::Host> hosts) {
  return distributed::answered(context.control(), copied(context),
                               [&](const auto& of_ranks) { return judged(of_ranks, hosts); });
}

}  // namespace

void measure_memory(process::RankContext& context, KnownMachines& machines) {
  for (int i = 0; i < kMostTries; ++i) {
    std::tie(machines.memory_GBps, machines.memory_disturbed) =
        measure_once(context, machines.hosts);
    if (machines.memory_disturbed.empty()) return;
  }
}

bool passes_memory(const collectives::DataPath& path) { return !path.on_gpus || path.host_staging; }

collectives::DataPath data_path(const planning::CollectivePoint& point, settings::DeviceKind device,
                                const KnownMachines& machines) {
  const bool on_gpus = device == settings::DeviceKind::kCuda;
  collectives::DataPath path{
      .node_of_member = {},
      .reorders_ring = catalogue::needs_one_rank_per_gpu(point.backend),
      .on_gpus = on_gpus,
      .host_staging = planning::staging_of(point.backend, device) == collectives::Staging::kHost,
      .memory_GBps = machines.memory_disturbed.empty() ? machines.memory_GBps : std::nullopt};
  for (const int member : point.members) {
    path.node_of_member.push_back(machines.node_of_rank.at(static_cast<std::size_t>(member)));
  }
  const int ranks = most_on_a_node(path.node_of_member);
  for (const monitoring::Host& host : machines.hosts) {
    const auto network = ports_of(host, point.backend, ranks);
    if (network && (!path.network || network->Gbit_per_s < path.network->Gbit_per_s))
      path.network = network;
    if (on_gpus) reporting::add_gpus(path, host);
  }
  return path;
}

namespace {

int nodes_of(const std::vector<int>& members, const std::vector<int>& node_of_rank) {
  std::set<int> nodes;
  for (const int member : members) nodes.insert(node_of_rank.at(static_cast<std::size_t>(member)));
  return static_cast<int>(nodes.size());
}

}  // namespace

reporting::CollectiveRecord CommReport::identity_of(const planning::CollectivePoint& point,
                                                    int repetition,
                                                    const std::string& started) const {
  reporting::CollectiveRecord row{
      {.collective = point.collective,
       .backend = point.backend,
       .via = point.via,
       .dtype = point.dtype,
       .device = std::string(name_of(plan_.device)),
       .bytes = point.bytes(),
       .world_size = point.world_size,
       .placement = point.parts > 1 ? kDrawn : std::string(name_of(point.placement)),
       .in_place = point.in_place,
       .overlap_compute = point.overlap_compute,
       .congestion = point.congestion,
       .parts = point.parts > 1 ? std::optional(point.parts) : std::nullopt},
      planning::run_id(point, repetition),
      point.group,
      repetition,
      /*order=*/0,
      started,
      point.members};
  if (point.skipped) return row;
  row.nodes = nodes_of(point.members, machines_.node_of_rank);
  auto path = data_path(point, plan_.device, machines_);
  if (plan_.pairs) path.network = links_.network_of(point);
  if (path.host_staging) row.staging = collectives::Staging::kHost;
  if (plan_.pairs && (!path.network || point.bytes() < kLongPerRank * point.world_size)) return row;
  if (const auto expected = collectives::expected_busbw(point.collective, path)) {
    row.expected_busbw_GBps = expected->busbw_GBps;
    row.expected_source = expected->source;
  }
  return row;
}

reporting::CollectiveRecord CommReport::row_of(const planning::CollectivePoint& point,
                                               int repetition, const std::string& started,
                                               const CollectiveOutcome& outcome) const {
  auto row = identity_of(point, repetition, started);
  if (!outcome.skipped.empty()) {
    row.status = reporting::PointStatus::kSkipped;
    row.reason = outcome.skipped;
    return row;
  }
  row = reporting::assemble_collective(std::move(row), outcome.ranks, outcome.slowest_s);
  row.disturbed = reporting::in_words(
      run_report_.disturbances_of(reporting::telemetry_of(row.id, outcome.readings)));
  return row;
}

void CommReport::add(reporting::CollectiveRecord row, const CollectiveOutcome& outcome) {
  auto findings = reporting::findings_of_collective(row);
  auto telemetry = reporting::telemetry_of(row.id, outcome.readings);
  // A second attempt would be just as brief, so none is made; the run counts towards no verdict.
  if (row.status == reporting::PointStatus::kOk && row.disturbed.empty()) {
    auto doubts = reporting::doubts_of(telemetry, machines_.hosts);
    std::erase_if(doubts, [](const auto& doubt) { return !reporting::disturbs(doubt.code); });
    row.disturbed = reporting::in_words(doubts);
  }
  run_report_.writer()->add_collective(std::move(row), std::move(findings), std::move(telemetry));
}

void CommReport::add(const MeasuredPairs& measured) {
  auto judged = reporting::judge_pairs(measured.pairs, measured.ends, measured.between_nodes);
  if (measured.between_nodes)
    links_ = MeasuredLinks(judged.links, measured.ends, machines_.node_of_rank);
  const std::string disturbed = reporting::in_words(
      run_report_.disturbances_of(reporting::telemetry_of("", measured.readings)));
  if (!disturbed.empty()) {
    judged.findings.push_back(reporting::make_finding(reporting::finding_kinds::links_disturbed, "",
                                                      {{"disturbed", disturbed}}));
  }
  run_report_.writer()->add_links(std::move(judged.links), std::move(judged.findings));
  if (!measured.nccl.empty()) process::set_nccl(run_report_, measured.nccl);
}

void CommReport::add(const MeasuredPart& part) {
  add(row_of(part.point, part.repetition, part.started, part.outcome), part.outcome);
}

void CommReport::note_disturbed_bound() {
  const bool any = std::ranges::any_of(plan_.points, [&](const auto& point) {
    return !point.skipped && passes_memory(data_path(point, plan_.device, machines_));
  });
  if (machines_.memory_disturbed.empty() || !any) return;
  run_report_.writer()->add_finding(reporting::make_finding(
      reporting::finding_kinds::bound_disturbed, "",
      {{"memory", machines_.memory_GBps.value_or(0)}, {"disturbed", machines_.memory_disturbed}}));
}

void CommReport::add_skipped_points() {
  for (const auto& point : plan_.points) {
    if (!point.skipped) continue;
    const CollectiveOutcome outcome{.skipped = *point.skipped};
    add(row_of(point, 0, reporting::utc_now(), outcome), outcome);
  }
}

void CommReport::summarise() {
  run_report_.writer()->amend(
      [](reporting::Report& report) { reporting::summarise_collectives(report); });
}

reporting::RunEnd CommReport::close() {
  summarise();
  return run_report_.close(reporting::ReportStatus::kComplete,
                           reporting::end_of_collectives(report()),
                           process::RunReport::Renderings::kWritten);
}

}  // namespace scalemark::communicating
