// Whether a sweep has measured enough: by --tune, which values further blocks need not run, or
// whether any is needed, and by --until-ci, whether the precision is reached. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/plan/plan.h"
#include "core/statistics/fastest.h"
#include "core/statistics/variance_split.h"

namespace scalemark::planning {

// The search of --tune is the same on every rank and after a resume, since it follows from the runs
// alone.

// Successive elimination (docs/SWEEP.md, "Tuning"): before each block from the fourth on, every
// comparison of the tuned axis drops the values that are surely slower than its fastest. Values
// that are dropped stay so. The first value of an axis is never dropped: effects are against it.
class Tuner {
 public:
  explicit Tuner(const Plan& plan);

  // Adds ln X of a run that was ok. Runs of one `session` may be compared.
  void add(std::size_t point, int block, int session, double samples_per_sec);

  // Points that blocks from number `block` on leave out: dropped in every comparison that they are
  // part of.
  std::set<std::size_t> dropped_before(int block) const;

  // Whether block number `block` is not needed: in every comparison the values that are left beside
  // the fastest are alike (2 %), or surely slower. False without --tune.
  bool decided_before(int block) const;

 private:
  struct Look {
    std::vector<bool> out;  // by value: whether it is dropped
    bool decided = false;
  };
  Look look_before(int block, const Comparison& comparison) const;
  statistics::BlockRates rates_before(int block, std::size_t point) const;

  std::vector<const Comparison*> comparisons_;
  int looks_;
  std::map<std::size_t, statistics::BlockRates> rates_;  // by point
};

// --until-ci also says how much more a sweep takes.

// How well a point is known, as groups[] and scaling[] of the report say it.
struct PointPrecision {
  int sessions = 1;  // so many its runs come from
  statistics::StopQuantity throughput;
  std::vector<statistics::StopQuantity> efficiencies;  // one per slice that compares it
};
using Precisions = std::map<std::string, PointPrecision>;  // by group, of points with a rate

// Whether throughput and every efficiency are known to `half_width`.
bool is_reached(const PointPrecision& point, double half_width);

// The number that is furthest from `half_width` still needs this.
struct Outlook {
  std::string group;
  bool of_efficiency = false;
  std::optional<double> half_width;        // relative, for that number; absent: no interval
  std::optional<std::size_t> repetitions;  // about, in all; absent: it cannot be estimated
  struct Windows {
    double window_s = 0;
    std::size_t repetitions = 0;
  };
  std::optional<Windows> longer;  // windows that take less time from the start, by a tenth or more
};

// `block_s`: seconds of a block whose windows are at least so many seconds long; 0: as they are.
// Returns nullopt when everything is reached.
std::optional<Outlook> outlook_of(const Precisions& points, double half_width,
                                  const std::function<double(double)>& block_s);

// "the efficiency of mlp-b8-w2-ddp is known to 1.6 %; about 34 repetitions are needed, or windows
// of 8 s and 12".
std::string to_text(const Outlook& outlook);

}  // namespace scalemark::planning
