// Finds what the exchange of gradients takes of a step.

#include <algorithm>
#include <cmath>
#include <set>

#include "core/machine/machine_numbers.h"
#include "report/judge/point/cause_finder.h"

namespace scalemark::reporting {
namespace {

namespace kinds = finding_kinds;

bool is_between_hosts(const PointRecord& point) {
  return std::ranges::any_of(
      point.ranks, [&](const RankRecord& rank) { return rank.host != point.ranks.front().host; });
}

// Names the link where there is only one.
FindingPlace place_of_links(const PointRecord& point) {
  if (!is_between_hosts(point)) return {.host = point.ranks.front().host};
  std::set<std::string> hosts;
  for (const RankRecord& rank : point.ranks) hosts.insert(rank.host);
  if (hosts.size() > 2) return {};
  return {.link = *hosts.begin() + " to " + *hosts.rbegin()};
}

// A lossy link is slow in its latency and in its bytes, which are told apart no more. TCP sends
// some segments again on every link that it fills: 0.2 % on a sound one, 0.3 % at a shaper.
bool find_retransmits(CauseFinder& finder, double network_s) {
  constexpr double kSegmentBytes = 1448, kLost = 1e-2, kFew = 20;
  const TelemetryRecord* most = nullptr;
  finder.each_reading(monitoring::kRetransmits, [&](const TelemetryRecord& record) {
    const bool is_more = !most || record.values.mean > most->values.mean;
    if (record.values.total.value_or(0) >= kFew && is_more) most = &record;
  });
  if (!most || !is_between_hosts(finder.point())) return false;
  double sent = 0;
  finder.each_reading(monitoring::kSentBytes, [&](const TelemetryRecord& record) {
    if (record.host == most->host && record.values.device != "lo") sent += record.values.mean;
  });
  const double lost = sent > 0 ? most->values.mean * kSegmentBytes / sent : 0;
  if (lost < kLost) return false;
  FindingPlace place = place_of_links(finder.point());
  place.host = most->host;
  finder.add(kinds::retransmits, network_s, {{"resent", most->values.mean}, {"lost", lost}}, place);
  return true;
}

// Returns the interface with most traffic of the first rank's machine, where its speed is known.
const monitoring::Nic* busiest_nic(const CauseFinder& finder) {
  const monitoring::Host* host = finder.host(finder.point().ranks.front().host);
  const monitoring::Nic* busiest = nullptr;
  double most = 0;
  finder.each_reading(monitoring::kSentBytes, [&](const TelemetryRecord& record) {
    if (!host || record.host != host->hostname || record.values.mean <= most) return;
    const auto nic = std::ranges::find(host->nics, record.values.device, &monitoring::Nic::name);
    if (nic == host->nics.end() || nic->speed_Mbit_per_s.value_or(0) <= 0) return;
    most = record.values.mean;
    busiest = &*nic;
  });
  return busiest;
}

constexpr double kMegabyte = 1e6;

void find_bandwidth(CauseFinder& finder, double seconds, double bytes) {
  constexpr double kGbit = 1e9, kGbitPerMbit = 1e-3, kSlow = 0.25, kMostOfSockets = 25;
  const PointRecord& point = finder.point();
  const double alone_s = *point.communication.alone_s;
  const double n = point.processes;
  const double rate = 8 * bytes * 2 * (n - 1) / n / alone_s / kGbit;  // a ring has it
  AllNamed values{{"mb", bytes / kMegabyte}, {"alone_ms", kMs * alone_s}, {"rate", rate}};
  double nominal = 0;
  if (const monitoring::Nic* nic = busiest_nic(finder); nic && is_between_hosts(point)) {
    nominal = kGbitPerMbit * static_cast<double>(*nic->speed_Mbit_per_s);
    values.emplace_back("interface", nic->name);
    values.emplace_back("nominal", nominal);
  }
  // Faster interfaces are not filled by the sockets of one CPU thread.
  const bool is_slow = nominal > 0 && nominal <= kMostOfSockets && rate < kSlow * nominal;
  finder.add(kinds::bandwidth_bound, seconds, values, place_of_links(point), {.is_fault = is_slow});
}

}  // namespace

// The link by itself needs alone_s. Where computation hides a part of the exchange, latency and
// bytes are taken to be hidden alike.
void find_link_causes(CauseFinder& finder, double held_s) {
  constexpr double kUsualBucket = 25.0 * (1 << 20), kLongLatency_s = 1e-3, kShareOfFar = 0.1;
  const PointRecord& point = finder.point();
  const CommunicationTimes& times = point.communication;
  const double network_s = times.network_s.value_or(0);
  if (!(network_s > 0) || point.ranks.empty() || find_retransmits(finder, network_s)) return;
  const FindingPlace place = place_of_links(point);
  if (!times.alone_s || !times.latency_s || point.bucket_bytes.empty())
    return finder.add(kinds::exchange, network_s - held_s, {}, place);
  const double seen_s = std::min(network_s, *times.alone_s);
  const auto buckets = static_cast<double>(point.bucket_bytes.size());
  double bytes = 0;
  for (const double bucket : point.bucket_bytes) bytes += bucket;
  const double needed = std::clamp(std::ceil(bytes / kUsualBucket), 1.0, buckets);
  const double one_s =
      std::min(*times.latency_s, *times.alone_s / buckets) * seen_s / *times.alone_s;
  const double saved_s = (buckets - needed) * one_s;
  // TCP sends a window each round trip, so that on a long way the bytes wait for it, too.
  const bool is_far = is_between_hosts(point) && *times.latency_s >= kLongLatency_s &&
                      buckets * one_s >= kShareOfFar * seen_s;
  finder.add(kinds::small_buckets, saved_s,
             {{"buckets", buckets}, {"needed", needed}, {"mb", bytes / kMegabyte}}, std::nullopt,
             {.predicted_s = saved_s});
  const double bytes_s = seen_s - buckets * one_s;
  finder.add(kinds::latency_bound, needed * one_s + (is_far ? bytes_s : 0),
             {{"latency_ms", kMs * *times.latency_s}, {"buckets", needed}}, place,
             {.is_fault = is_far});
  if (!is_far) find_bandwidth(finder, bytes_s, bytes);
  finder.add(kinds::contention, network_s - seen_s - held_s,
             {{"network_ms", kMs * network_s}, {"alone_ms", kMs * *times.alone_s}}, place);
}

}  // namespace scalemark::reporting
