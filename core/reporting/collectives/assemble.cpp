#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/error.h"
#include "core/base/number_words.h"
#include "core/collectives/bandwidth.h"
#include "core/collectives/collective.h"
#include "core/reporting/collectives/collectives.h"
#include "core/reporting/collectives/words.h"
#include "core/statistics/summary.h"

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

// That `member` receives.
std::int64_t elements_of(const CollectiveRecord& run, std::ptrdiff_t member) {
  return collectives::output_elements({.collective = run.collective,
                                       .world_size = run.world_size,
                                       .elements = run.bytes / collectives::bytes_of(run.dtype)},
                                      static_cast<int>(member));
}

// The number in the launch of a member.
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
  return text + "; " + std::to_string(others) + " more rank" + (others == 1 ? "" : "s") +
         " received wrong elements";
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

}  // namespace scalemark::reporting
