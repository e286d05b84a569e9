// Makes resolved points from the raw options of a slice, each configuration once. Private to this
// folder.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/plan/axes.h"
#include "core/plan/make_plan.h"
#include "core/plan/plan.h"

namespace scalemark::planning {

class PointBuilder {
 public:
  // `axes` with all defaults; `threads` are those of every rank when they are automatic.
  PointBuilder(const PlanRequest& request, const std::vector<settings::Axis>& axes, int threads);

  // Index of the point, new or existing. Without `strategy`: the slice's own, else ddp, or none on
  // one rank.
  std::size_t add(const SliceRequest& slice, int world_size, bool asked,
                  std::optional<std::string> strategy = std::nullopt);

  // Values that no asked point can use, and problems of options that are no axes; the latter once.
  std::vector<settings::Problem> refusals() const;

  // Why the option has no effect at any asked point that runs; empty: it has one.
  std::string why_without_effect(const std::string& option) const;

  bool runs(std::size_t index) const { return !points_[index].skipped; }

  // Completes the plan: groups the searches of batch sizes and names the points.
  void finish(Plan& plan);

 private:
  struct Draft {
    settings::RawSettings raw;
    std::string search_key;  // not empty: the batch is searched; equal keys share the answer
  };
  struct Value {
    bool used = false;
    std::optional<settings::Problem> problem;
  };

  settings::RawSettings raw_of(const SliceRequest& slice, int world_size,
                               const std::optional<std::string>& strategy) const;
  PlannedPoint resolve(const settings::RawSettings& raw, const SliceRequest& slice, int world_size,
                       bool asked);
  void note_effects(const std::vector<std::string>& notes);
  void remember(const settings::RawSettings& raw, const std::vector<settings::Problem>& problems);
  void group_searches(Plan& plan);
  void name_points();

  const PlanRequest& request_;
  const std::vector<settings::Axis>& axes_;
  int threads_;
  std::vector<std::string> varying_;
  std::vector<PlannedPoint> points_;
  std::vector<Draft> drafts_;
  std::map<std::string, std::size_t> by_key_;
  std::map<std::pair<std::string, std::string>, Value> values_;  // (option, text) of axes
  std::map<std::string, settings::Problem> general_problems_;    // by their line
  std::map<std::string, settings::Problem> axis_problems_;       // by their line
  std::vector<std::string> notes_;
  int asked_points_ = 0;  // counts points that can run
  struct Effectless {
    int points = 0;
    std::string note;
  };
  std::map<std::string, Effectless> effectless_;  // by option
};

}  // namespace scalemark::planning
