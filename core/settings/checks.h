// Settings must satisfy these rules together: checks over several values at once. Pure.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/catalogue/workload.h"
#include "core/settings/layers.h"
#include "core/settings/machine.h"
#include "core/settings/problem.h"
#include "core/settings/settings.h"

namespace scalemark::settings {

struct CheckInput {
  const Settings& settings;
  const RawSettings& raw;               // every value in force
  const catalogue::Workload* workload;  // nullptr: refused already
  const Machine& machine;
  const RankCount& ranks;
  const std::set<std::string>& refused;  // options with a problem of their own
};

// Options without effect on synthetic data, where nothing is read, decoded or shuffled.
std::span<const std::string_view> reading_options();

// Whether `workload` uses an option; options that no workload names serve all.
bool serves(const catalogue::Workload& workload, std::string_view option);

std::vector<Problem> check_together(const CheckInput& input);

}  // namespace scalemark::settings
