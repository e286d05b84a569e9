#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "core/base/number_words.h"
#include "core/collectives/fit_links.h"
#include "core/reporting/collectives/runs.h"

namespace scalemark::reporting {
namespace {

constexpr std::array<const char*, collectives::kLevels> kLevelNames{"intra_node", "inter_node"};

// The measured points of one series that move data, by size.
Family sizes_of(const Family& family) {
  Family sizes;
  std::ranges::copy_if(family, std::back_inserter(sizes), [](const CollectivePoint* point) {
    return point->first().bytes > 0 && point->first().world_size > 1 && !point->ok.empty();
  });
  std::ranges::sort(sizes, {}, [](const auto* point) { return point->first().bytes; });
  return sizes;
}

// Keeps the runs of blocks in which every size was measured: a fit of each block needs them all.
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

// One for each level of links that the ranks use.
void add_fits(const Traits& fixed, const Family& sizes, std::vector<CollectiveFit>& fits) {
  const auto points = link_points(sizes);
  if (points.front().seconds.empty()) return;
  const auto found = collectives::fit_links(points);
  // Times that differ by more than a number holds have none.
  if (!found || !std::isfinite(found->worst_relative_error)) return;
  for (std::size_t level = 0; level < found->links.size(); ++level) {
    if (!found->links[level] || !std::isfinite(found->links[level]->alpha_s.value)) continue;
    fits.push_back(fit_of(fixed, sizes, level, *found->links[level]));
    fits.back().worst_relative_error = found->worst_relative_error;
  }
}

// "gloo, all-reduce, fp32, 2 ranks, within a node, 4 KiB to 1 MiB: 112 us a message and 1.230
// GB/s, off by 4.0 % at most".
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
  std::vector<Traits> places;  // without the backend, which stands before all else
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
