// Names points by what tells them apart: "b64 2 ranks ddp". Private to this folder.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/reporting/record/report.h"

namespace scalemark::reporting {

using Points = std::vector<const PointRecord*>;

struct Trait {
  std::string name;
  std::function<std::string(const PointRecord&)> value;  // as typed
};

// Every trait in which points of a sweep may differ, without ranks, batch size and strategy.
std::vector<Trait> traits_of(const Points& points);
Trait ranks_trait();
Trait batch_trait(bool is_global);
Trait strategy_trait();

// All of these, ranks, batch size and strategy first.
std::vector<Trait> all_traits(const Points& points, bool global);

// The first run that is ok of each group, in the order of the report's groups; and all of them.
Points first_runs(const Report& report);
Points runs_of(const Report& report, const std::string& group);

// Leaves the `traits` that differ within `all`.
std::vector<Trait> telling(const std::vector<Trait>& traits, const Points& all);

// Joins what they say of `point`: "b64 2 ranks ddp"; empty without any.
std::string name_by(const PointRecord& point, const std::vector<Trait>& telling);

std::optional<double> as_number(const std::string& text);  // absent: it is none, or not finite

}  // namespace scalemark::reporting
