// Plans made from options as a person would give them, for the tests of this module.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>

#include "core/plan/make_plan.h"

namespace scalemark::planning {

using Options = std::initializer_list<std::pair<const char*, const char*>>;

inline PlanAnswer answer(Options options, std::vector<int> node_of_rank = {0, 0, 0, 0},
                         settings::Machine machine = {.cores = 8}) {
  settings::RawSettings raw;
  for (const auto& [name, text] : options) raw[name] = {text, "option"};
  const settings::SweepRequest asked = settings::read_sweep(raw);
  return make_plan(
      {.asked = asked, .machine = std::move(machine), .node_of_rank = std::move(node_of_rank)});
}

inline Plan plan(Options options, std::vector<int> node_of_rank = {0, 0, 0, 0},
                 settings::Machine machine = {.cores = 8}) {
  PlanAnswer made = answer(options, std::move(node_of_rank), std::move(machine));
  for (const auto& problem : made.problems) ADD_FAILURE() << to_line(problem);
  return std::move(made.plan);
}

inline std::vector<std::string> groups(const Plan& plan) {
  std::vector<std::string> names;
  for (const PlannedPoint& point : plan.points) names.push_back(point.group);
  return names;
}

inline const PlannedPoint& find(const Plan& plan, const std::string& group) {
  for (const PlannedPoint& point : plan.points) {
    if (point.group == group) return point;
  }
  static const PlannedPoint kNone;
  ADD_FAILURE() << "no point " << group;
  return kNone;
}

}  // namespace scalemark::planning
