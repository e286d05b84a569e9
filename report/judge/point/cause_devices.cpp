// Finds what devices, their clocks and the copies to them take of a step.

#include <algorithm>
#include <utility>

#include "core/machine/machine_numbers.h"
#include "report/judge/point/cause_finder.h"

namespace scalemark::reporting {
namespace {

namespace kinds = finding_kinds;

// Returns null for a rank without a GPU that its machine names.
const monitoring::Gpu* gpu_of(const CauseFinder& finder, const RankRecord& rank) {
  const monitoring::Host* host = finder.host(rank.host);
  if (!host || rank.uuid.empty()) return nullptr;
  const auto gpu = std::ranges::find(host->gpus, rank.uuid, &monitoring::Gpu::uuid);
  return gpu == host->gpus.end() ? nullptr : &*gpu;
}

// A link may be narrower than the card's and the slot's, which its siblings show.
void find_copies(CauseFinder& finder) {
  const PointRecord& point = finder.point();
  if (!point.phases_s) return;
  AllNamed values;
  std::optional<FindingPlace> narrow;
  for (const RankRecord& rank : point.ranks) {
    const monitoring::Gpu* gpu = gpu_of(finder, rank);
    if (!gpu || narrow) continue;
    const auto link = [](const monitoring::Gpu& one) {
      return std::pair(one.pcie.generation.value_or(0), one.pcie.width.value_or(0));
    };
    const auto widest = std::ranges::max_element(finder.host(rank.host)->gpus, {}, link);
    if (link(*gpu) >= link(*widest) || link(*gpu).second == 0) continue;
    narrow = FindingPlace{.rank = rank.rank, .host = rank.host, .device = rank.device};
    values = {{"generation", link(*gpu).first},
              {"width", link(*gpu).second},
              {"most_generation", link(*widest).first},
              {"most_width", link(*widest).second}};
  }
  finder.add(kinds::copy_to_device, point.phases_s->host_to_device, values, narrow,
             {.is_fault = narrow.has_value()});
}

// The clock that was lost counts; where it is not known, the share of the time with a slowdown.
void find_slowed_clocks(CauseFinder& finder, double own_s) {
  const Finding* slowed = finder.find(kinds::throttled);
  if (!slowed || !slowed->values.contains("slowed_share")) return;
  const FindingPlace place = slowed->place.value_or(FindingPlace{});
  const auto word = slowed->words.find("slowdown");
  AllNamed values{{"told", word == slowed->words.end() ? "thermal slowdown" : word->second}};
  double lost = slowed->values.at("slowed_share");
  for (const RankRecord& rank : finder.point().ranks) {
    const monitoring::Gpu* gpu = gpu_of(finder, rank);
    if (!gpu || rank.host != place.host || rank.device != place.device) continue;
    const double most = gpu->max_sm_clock_MHz.value_or(0);
    finder.each_reading(monitoring::kSmClock, [&](const TelemetryRecord& record) {
      if (record.host != place.host || record.values.device != place.device || most <= 0) return;
      lost = std::clamp(1 - record.values.mean / most, 0.0, 1.0);
      values.emplace_back("clock", record.values.mean);
      values.emplace_back("most", most);
    });
    break;
  }
  finder.add(kinds::slowed_clock, lost * own_s, values, place);
}

void find_idle_gpu(CauseFinder& finder, double data_s) {
  const Finding* waits = finder.find(kinds::gpu_waits);
  if (!waits || !waits->values.contains("busy")) return;
  const CommunicationTimes& times = finder.point().communication;
  const double explained_s = data_s + times.network_s.value_or(0) + times.peer_wait_s.value_or(0);
  finder.add(kinds::idle_gpu, (1 - waits->values.at("busy")) * finder.step_s() - explained_s,
             {{"told", waits->text}}, waits->place);
}

}  // namespace

void find_device_causes(CauseFinder& finder, double own_s, double data_s) {
  find_copies(finder);
  find_slowed_clocks(finder, own_s);
  find_idle_gpu(finder, data_s);
}

}  // namespace scalemark::reporting
