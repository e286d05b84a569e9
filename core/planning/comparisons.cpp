#include "core/planning/comparisons.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/settings/option.h"

namespace scalemark::planning {
namespace {

using Values = std::map<std::string, std::string>;

// Everything that both slices fix but `axis`; absent where they differ in something else.
std::optional<Values> common_fixed(const Slice& a, const Slice& b, const std::string& axis) {
  if (a.kind != b.kind) return std::nullopt;
  Values all = a.fixed;
  for (const auto& [option, value] : b.fixed) {
    const auto [known, is_new] = all.emplace(option, value);
    if (!is_new && known->second != value && option != axis) return std::nullopt;
  }
  all.erase(axis);
  return all;
}

bool has_value(const Slice& slice, const std::string& axis, const std::string& value) {
  const auto found = slice.fixed.find(axis);
  return found != slice.fixed.end() && found->second == value;
}

class Finder {
 public:
  Finder(const Plan& plan, const settings::Axis& axis) : plan_(plan), axis_(axis) {}

  std::vector<Comparison> run() {
    for (const Slice& slice : plan_.slices) {
      if (!has_value(slice, axis_.option, axis_.values.front())) continue;
      for (const std::string& value : axis_.values) {
        if (value != axis_.values.front()) compare(slice, value);
      }
    }
    return std::move(found_);
  }

 private:
  void compare(const Slice& first, const std::string& value) {
    for (const Slice& other : plan_.slices) {
      if (!has_value(other, axis_.option, value)) continue;
      const auto fixed = common_fixed(first, other, axis_.option);
      if (!fixed) continue;
      for (std::size_t i = 0; i < first.rows.size(); ++i) {
        add(*fixed, first.rows[i], value, other.rows[i]);
      }
    }
  }

  void add(Values fixed, std::size_t first, const std::string& value, std::size_t other) {
    if (first == other) return;
    const PlannedPoint& point = plan_.points[other];
    if (axis_.option != "strategy") fixed["strategy"] = point.settings.parallel.strategy;
    fixed["world_size"] = std::to_string(point.world_size);
    const auto same = [&](const Comparison& known) {
      return known.fixed == fixed && known.values.front().point == first;
    };
    auto known = std::ranges::find_if(found_, same);
    if (known == found_.end()) {
      found_.push_back({axis_.option, std::move(fixed), {{axis_.values.front(), first}}});
      known = std::prev(found_.end());
    }
    known->values.push_back({value, other});
  }

  const Plan& plan_;
  const settings::Axis& axis_;
  std::vector<Comparison> found_;
};

std::vector<std::size_t> points_of(const Comparison& comparison) {
  std::vector<std::size_t> points;
  for (const ComparedValue& value : comparison.values) points.push_back(value.point);
  return points;
}

}  // namespace

std::vector<Comparison> comparisons_of(const Plan& plan, const std::vector<settings::Axis>& axes) {
  std::vector<Comparison> all;
  for (const settings::Axis& axis : axes) {
    const settings::Option* option = settings::find_option(axis.option);
    if (axis.values.size() < 2 || !option || !settings::is_compared(*option)) continue;
    for (Comparison& one : Finder(plan, axis).run()) {
      // Slices of weak and of strong scaling may hold the same points.
      const bool known = std::ranges::any_of(all, [&](const Comparison& other) {
        return other.axis == one.axis && points_of(other) == points_of(one);
      });
      if (!known) all.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace scalemark::planning
