#include "core/plan/order.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/base/error.h"
#include "core/plan/plan.h"

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

std::string sorting_key(std::string_view name) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string key;
  for (std::size_t i = 0; i < name.size();) {
    if (!is_digit(name[i])) {
      key += name[i++];
      continue;
    }
    std::size_t end = i;
    while (end < name.size() && is_digit(name[end])) ++end;
    const std::string_view digits = name.substr(i, end - i);
    const bool is_fraction = i > 1 && name[i - 1] == '.' && is_digit(name[i - 2]);
    // Longer numbers come later, and "9" stays behind "." and "-".
    if (!is_fraction) key.append(digits.size() - 1, ':');
    key += digits;
    i = end;
  }
  return key;
}

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

namespace {

// The functions on members and block() from here on are declared by plan.h.

// Seeds other numbers than those from which the blocks' orders are drawn. With this one the first
// block of seed 0 has rank 0, on up to four ranks and on eight: the usual first try needs no second
// device.
constexpr std::uint64_t kSeedOfSingleRanks = 0x72616E6BAF;

}  // namespace

std::vector<PlannedRun> block(const Plan& plan, int k) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    if (!plan.points[i].skipped) order.push_back(i);
  }
  shuffle(order, plan.seed + static_cast<std::uint64_t>(k));
  group_by_environment(plan, order);
  std::vector<PlannedRun> runs;
  for (const std::size_t point : order) {
    runs.push_back({.id = plan.points[point].group + "/r" + std::to_string(k),
                    .point = point,
                    .repetition = k,
                    .block = k,
                    .order = static_cast<int>(runs.size())});
  }
  return runs;
}

std::vector<int> members(int processes, const std::vector<int>& node_of_rank, Placement placement) {
  if (processes < 1 || processes > static_cast<int>(node_of_rank.size())) {
    throw bug("a point of " + std::to_string(processes) + " ranks among " +
              std::to_string(node_of_rank.size()));
  }
  // A rank's turn: fill takes all of node 0, then of node 1; spread each node's first rank, then
  // each node's second.
  struct Place {
    int first, second, rank;
    auto operator<=>(const Place&) const = default;
  };
  std::map<int, int> seen;
  std::vector<Place> places;
  for (int rank = 0; rank < static_cast<int>(node_of_rank.size()); ++rank) {
    const int node = node_of_rank[static_cast<std::size_t>(rank)];
    const int turn = seen[node]++;
    const bool fill = placement == Placement::kFill;
    places.push_back({fill ? node : turn, fill ? turn : node, rank});
  }
  std::ranges::sort(places);
  std::vector<int> chosen;
  for (int i = 0; i < processes; ++i) {
    chosen.push_back(places[static_cast<std::size_t>(i)].rank);
  }
  std::ranges::sort(chosen);
  return chosen;
}

int most_on_a_node(const std::vector<int>& ranks, const std::vector<int>& node_of_rank) {
  std::map<int, int> count;
  int most = 0;
  for (const int rank : ranks) {
    most = std::max(most, ++count[node_of_rank[static_cast<std::size_t>(rank)]]);
  }
  return most;
}

std::vector<int> members_of(const Plan& plan, const PlannedRun& run) {
  const PlannedPoint& point = plan.points[run.point];
  const bool is_alone = point.world_size == 1 && point.processes == 1;
  if (!is_alone || plan.world_size < 2) return point.members;
  std::vector<int> ranks(static_cast<std::size_t>(plan.world_size));
  std::iota(ranks.begin(), ranks.end(), 0);
  shuffle(ranks, plan.seed ^ kSeedOfSingleRanks);
  return {ranks[static_cast<std::size_t>(run.repetition) % ranks.size()]};
}

void assign_members(Plan& plan, const std::vector<int>& node_of_rank) {
  const auto placement = plan.sweep.placement;
  for (PlannedPoint& point : plan.points) {
    if (point.processes > std::ssize(node_of_rank)) continue;  // it is skipped
    point.members = members(point.processes, node_of_rank, placement);
  }
}

}  // namespace scalemark::planning
