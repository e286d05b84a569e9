// The search of --tune: which values of the tuned option further blocks need not run, and whether
// they need run at all. Pure; the same on every rank and after a resume, since it follows from the
// runs alone.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/planning/plan.h"
#include "core/statistics/fastest.h"

namespace scalemark::planning {

// Successive elimination (docs/SWEEP.md, "Tuning"): before each block from the fourth on, every
// comparison of the tuned axis drops the values that are surely slower than its fastest. Values
// that are dropped stay so. The first value of an axis is never dropped: effects are against it.
class Tuner {
 public:
  explicit Tuner(const Plan& plan);

  // ln X of a run that was ok. `session`: of runs that may be compared.
  void add(std::size_t point, int block, int session, double samples_per_sec);

  // Points that blocks from number `block` on leave out: dropped in every comparison that they are
  // part of.
  std::set<std::size_t> dropped_before(int block) const;

  // Whether block number `block` is not needed: in every comparison the values that are left beside
  // the fastest are alike (2 %), or surely slower. False without --tune.
  bool decided_before(int block) const;

 private:
  struct Look {
    std::vector<bool> out;  // by value
    bool decided = false;
  };
  Look look_before(int block, const Comparison& comparison) const;
  statistics::BlockRates rates_before(int block, std::size_t point) const;

  std::vector<const Comparison*> comparisons_;
  int looks_;
  std::map<std::size_t, statistics::BlockRates> rates_;  // by point
};

}  // namespace scalemark::planning
