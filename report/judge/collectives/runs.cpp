#include "report/judge/collectives/runs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>

#include "core/base/number_words.h"
#include "core/base/text.h"
#include "core/collectives/fit_links.h"
#include "report/judge/collectives/words.h"
#include "report/judge/judged_effects.h"
#include "report/say/words/words.h"

namespace scalemark::reporting {
namespace {

constexpr std::array kAxes{"backend",         "via",      "dtype", "in_place", "congestion",
                           "overlap_compute", "placement"};

// Compares the first value that was measured, in the order of the report, with the others. There
// "off" stands before "on", except for in_place.
void add_values(const std::string& axis, const Traits& fixed, const Family& family,
                std::vector<ComparedRuns<CollectiveRecord>>& of_axis) {
  const auto value_of = [&](const auto* point) { return traits_of(point->first()).at(axis); };
  const auto first =
      std::ranges::find_if(family, [](const auto* point) { return !point->ok.empty(); });
  if (first == family.end()) return;
  const std::string from = value_of(*first);
  for (auto other = std::next(first); other != family.end(); ++other) {
    const std::string to = value_of(*other);
    if (to == from) continue;
    add_compared(of_axis, {.axis = axis, .fixed = fixed, .from = from, .to = to}, **first, **other);
  }
}

std::vector<EffectRecord> effects_of_axis(const CollectiveRuns& points, const std::string& axis) {
  std::vector<ComparedRuns<CollectiveRecord>> of_axis;
  for (const auto& [fixed, family] : families_of(points, {axis})) {
    const bool has_axis = traits_of(family.front()->first()).contains(axis);
    if (has_axis) add_values(axis, fixed, family, of_axis);
  }
  return judged_effects(std::move(of_axis));
}

// Leaves out the size, which stands before the brackets.
std::string place_text(const std::string& trait, const std::string& value) {
  return trait == "bytes" ? "" : trait_text(trait, value);
}

std::string in_words(const EffectRecord& effect, const std::vector<EffectRecord>& all) {
  std::string text =
      trait_text(effect.axis, effect.to) + " against " + trait_text(effect.axis, effect.from);
  if (const auto bytes = effect.fixed.find("bytes");
      bytes != effect.fixed.end() && bytes->second != "0") {
    text += " at " + trait_text("bytes", bytes->second);
  }
  const std::string where = where_text(effect, all, place_text);
  if (!where.empty()) text += " (" + where + ")";
  return text + ": " + speed_text(effect) + ": " + verdict_text(effect);
}

// Maps a size to the points that were measured at it, one per backend.
using Contests = std::map<std::int64_t, Family>;

Contests contests_of(const Family& family) {
  Contests contests;
  for (const CollectivePoint* point : family) {
    if (!point->ok.empty()) contests[point->first().bytes].push_back(point);
  }
  std::erase_if(contests, [](const auto& contest) { return contest.second.size() < 2; });
  return contests;
}

SizeWinner winner_of(std::int64_t bytes, const Family& backends, double level) {
  std::vector<statistics::BlockRates> runners;
  for (const CollectivePoint* point : backends)
    runners.push_back(rates_by_block<CollectiveRecord>(point->fit()));
  const auto race = statistics::judge_race(runners, level);
  SizeWinner winner{.bytes = bytes, .fastest = backends[race.leader]->first().backend};
  for (std::size_t i = 0; i < backends.size(); ++i) {
    if (i == race.leader || race.slower[i]) continue;
    winner.not_distinguishable.push_back(backends[i]->first().backend);
  }
  return winner;
}

bool is_sure(const SizeWinner& size) { return size.not_distinguishable.empty(); }

std::vector<WinnerRange> ranges_of(const std::vector<SizeWinner>& sizes) {
  std::vector<WinnerRange> ranges;
  bool extends_range = false;  // the last range ends at the previous size
  for (const SizeWinner& size : sizes) {
    if (!is_sure(size)) {
      extends_range = false;
    } else if (extends_range && ranges.back().backend == size.fastest) {
      ranges.back().to_bytes = size.bytes;
    } else {
      ranges.push_back({size.fastest, size.bytes, size.bytes});
      extends_range = true;
    }
  }
  return ranges;
}

std::string range_text(const WinnerRange& range, std::int64_t smallest, std::int64_t largest) {
  const std::string from = size_text(range.from_bytes), to = size_text(range.to_bytes);
  if (range.from_bytes == smallest && range.to_bytes == largest) return "at every size";
  if (range.from_bytes == smallest) return "up to " + to;
  if (range.to_bytes == largest) return "from " + from + " on";
  return range.from_bytes == range.to_bytes ? "at " + from : "from " + from + " to " + to;
}

std::string undecided_text(const std::vector<SizeWinner>& sizes) {
  std::vector<std::string> open;
  for (const SizeWinner& size : sizes) {
    if (!is_sure(size)) open.push_back(size_text(size.bytes));
  }
  if (open.empty()) return "";
  if (sizes.size() == 1) return "no backend is surely the fastest";
  return open.size() == sizes.size() ? "no backend is surely the fastest at any size"
                                     : "not distinguishable at " + listed(open);
}

// Writes "gloo wins up to 16 KiB, nccl from 256 KiB on; not distinguishable at 64 KiB".
std::string answer(const CollectiveWinners& winners) {
  const auto& sizes = winners.sizes;
  if (sizes.size() == 1 && is_sure(sizes.front())) return sizes.front().fastest + " wins";
  std::string text;
  for (const WinnerRange& range : winners.ranges) {
    text += text.empty() ? range.backend + " wins " : ", " + range.backend + " ";
    text += range_text(range, sizes.front().bytes, sizes.back().bytes);
  }
  const std::string open = undecided_text(sizes);
  return text + (text.empty() || open.empty() ? "" : "; ") + open;
}

}  // namespace

std::vector<EffectRecord> collective_effects_of(const CollectiveRuns& points) {
  std::vector<EffectRecord> effects;
  for (const char* axis : kAxes) {
    std::ranges::move(effects_of_axis(points, axis), std::back_inserter(effects));
  }
  for (EffectRecord& effect : effects) effect.in_words = in_words(effect, effects);
  return effects;
}

std::vector<CollectiveWinners> collective_winners_of(const CollectiveRuns& points) {
  std::vector<CollectiveWinners> all;
  std::vector<Traits> places;
  for (const auto& [fixed, family] : families_of(points, {"backend", "bytes"})) {
    const Contests contests = contests_of(family);
    if (contests.empty()) continue;
    std::set<std::string> backends;
    for (const CollectivePoint* point : family) backends.insert(point->first().backend);
    const double level = statistics::race_level(backends.size(), static_cast<int>(contests.size()));
    CollectiveWinners& winners = all.emplace_back();
    winners.fixed = fixed;
    for (const auto& [bytes, rivals] : contests) {
      winners.sizes.push_back(winner_of(bytes, rivals, level));
    }
    winners.ranges = ranges_of(winners.sizes);
    places.push_back(fixed);
  }
  for (CollectiveWinners& winners : all) {
    winners.in_words = series_text(winners.fixed, places) + ": " + answer(winners);
  }
  return all;
}

namespace {

constexpr std::array<const char*, collectives::kLevels> kLevelNames{"intra_node", "inter_node"};

// Returns the measured points of one series that move data, by size.
Family sizes_of(const Family& family) {
  Family sizes;
  std::ranges::copy_if(family, std::back_inserter(sizes), [](const CollectivePoint* point) {
    return point->first().bytes > 0 && point->first().world_size > 1 && !point->ok.empty();
  });
  std::ranges::sort(sizes, {}, [](const auto* point) { return point->first().bytes; });
  return sizes;
}

// Keeps the runs of blocks in which every size was measured, since a fit of each block needs all
// sizes.
RunsOf<CollectiveRecord> in_common_blocks(const RunsOf<CollectiveRecord>& runs,
                                          const Family& sizes) {
  RunsOf<CollectiveRecord> common;
  std::ranges::copy_if(runs, std::back_inserter(common), [&](const CollectiveRecord* run) {
    return std::ranges::all_of(sizes, [&](const CollectivePoint* point) {
      return run_in<CollectiveRecord>(point->ok, block_of(*run)) != nullptr;
    });
  });
  return common;
}

collectives::Layout layout_of(const CollectiveRecord& run) {
  const int nodes = std::max(run.nodes, 1);
  return {.nodes = nodes, .ranks_per_node = (run.world_size + nodes - 1) / nodes};
}

std::vector<collectives::LinkPoint> link_points(const Family& sizes) {
  std::vector<collectives::LinkPoint> points;
  for (const CollectivePoint* size : sizes) {
    const CollectiveRecord& run = size->first();
    auto& point = points.emplace_back(collectives::LinkPoint{
        .collective = run.collective, .layout = layout_of(run), .bytes = run.bytes});
    for (const CollectiveRecord* one : in_common_blocks(size->ok, sizes)) {
      point.seconds.push_back(one->time_s);
    }
  }
  return points;
}

CollectiveFit fit_of(const Traits& fixed, const Family& sizes, std::size_t level,
                     const collectives::FittedLink& link) {
  CollectiveFit fit{.fixed = fixed,
                    .level = kLevelNames[level],
                    .from_bytes = sizes.front()->first().bytes,
                    .to_bytes = sizes.back()->first().bytes,
                    .sizes = static_cast<int>(sizes.size()),
                    .alpha_s = link.alpha_s.value,
                    .alpha_ci95 = bounds_of(link.alpha_s.ci95)};
  if (link.bandwidth_GBps && std::isfinite(link.bandwidth_GBps->value)) {
    fit.bandwidth_GBps = link.bandwidth_GBps->value;
    fit.bandwidth_ci95 = bounds_of(link.bandwidth_GBps->ci95);
  }
  return fit;
}

// Adds a fit for each level of links that the ranks use.
void add_fits(const Traits& fixed, const Family& sizes, std::vector<CollectiveFit>& fits) {
  const auto points = link_points(sizes);
  if (points.front().seconds.empty()) return;
  const auto found = collectives::fit_links(points);
  // A difference in times that no number can hold gives no fit.
  if (!found || !std::isfinite(found->worst_relative_error)) return;
  for (std::size_t level = 0; level < found->links.size(); ++level) {
    if (!found->links[level] || !std::isfinite(found->links[level]->alpha_s.value)) continue;
    fits.push_back(fit_of(fixed, sizes, level, *found->links[level]));
    fits.back().worst_relative_error = found->worst_relative_error;
  }
}

// Writes "gloo, all-reduce, fp32, 2 ranks, within a node, 4 KiB to 1 MiB: 112 us a message and
// 1.230 GB/s, off by 4.0 % at most".
std::string in_words(const CollectiveFit& fit, const std::string& series) {
  const std::string level = fit.level == kLevelNames[0] ? "within a node" : "between nodes";
  std::string text = fit.fixed.at("backend") + ", " + series + ", " + level + ", " +
                     size_text(fit.from_bytes) + " to " + size_text(fit.to_bytes) + ": " +
                     duration_text(fit.alpha_s) + " a message";
  text += fit.bandwidth_GBps ? " and " + bandwidth_text(*fit.bandwidth_GBps)
                             : std::string(", whatever its size");
  return text + ", off by " + percent(fit.worst_relative_error) + " at most";
}

}  // namespace

std::vector<CollectiveFit> collective_fits_of(const CollectiveRuns& points) {
  std::vector<CollectiveFit> fits;
  std::vector<Traits> places;  // every text begins with the backend, which is left out
  for (const auto& [fixed, family] : families_of(points, {"bytes"})) {
    const Family sizes = sizes_of(family);
    if (sizes.empty()) continue;
    add_fits(fixed, sizes, fits);
    places.push_back(fixed);
    places.back().erase("backend");
  }
  for (CollectiveFit& fit : fits) {
    Traits where = fit.fixed;
    where.erase("backend");
    fit.in_words = in_words(fit, series_text(where, places));
  }
  return fits;
}

}  // namespace scalemark::reporting
