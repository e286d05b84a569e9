#include "core/planning/environments.h"

#include <algorithm>

namespace scalemark::planning {
namespace {

std::vector<settings::Variables> distinct(const Plan& plan,
                                          const std::vector<std::size_t>& points) {
  std::vector<settings::Variables> environments;
  for (const std::size_t point : points) {
    const settings::Variables& one = environment_of(plan.points[point]);
    if (std::ranges::count(environments, one) == 0) environments.push_back(one);
  }
  return environments;
}

}  // namespace

const settings::Variables& environment_of(const PlannedPoint& point) {
  return point.settings.launch.environment;
}

std::vector<settings::Variables> environments_of(const Plan& plan) {
  std::vector<std::size_t> points;
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    if (!plan.points[i].skipped) points.push_back(i);
  }
  auto environments = distinct(plan, points);
  if (environments.empty()) environments.emplace_back();
  return environments;
}

void group_by_environment(const Plan& plan, std::vector<std::size_t>& points) {
  const auto environments = distinct(plan, points);
  std::ranges::stable_sort(points, {}, [&](std::size_t point) {
    return std::ranges::find(environments, environment_of(plan.points[point]));
  });
}

std::string to_text(const settings::Variables& environment) {
  std::string text;
  for (const auto& [name, value] : environment) {
    text += (text.empty() ? "" : " ") + name + "=" + value;
  }
  return text;
}

}  // namespace scalemark::planning
