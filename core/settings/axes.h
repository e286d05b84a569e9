// Lists and ranges: from the raw values of a sweep to the axes of its cross product. Pure. Knows
// what a value of an option looks like, not which combinations make sense (core/planning).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/settings/layers.h"
#include "core/settings/option.h"
#include "core/settings/problem.h"
#include "core/settings/sweep_settings.h"

namespace scalemark::settings {

inline constexpr std::size_t kMostPoints = 10'000;  // of one sweep, repetitions not counted

struct BadElement {
  std::string found, allowed, hint;
};

struct ValueList {
  std::vector<std::string> values;  // in the order given, each once
  std::vector<std::string> twice;   // values given more than once
  std::vector<BadElement> bad;
};

// "1,2,4", "32..256x2" (32, 64, 128, 256), "1..9+2" (1, 3, 5, 7, 9) and mixtures. Ranges are for
// numbers, run upwards and end at the last value that does not exceed the end. Each value is
// checked against `option`; batch_size may also be "auto". Sizes of messages come in one spelling.
ValueList expand_list(const Option& option, std::string_view text);

struct Axis {
  std::string option;
  std::vector<std::string> values;
  std::string origin;
};

struct SweepRequest {
  SweepSettings sweep;
  RawSettings common;      // options of every point that are no axes; only given ones
  std::vector<Axis> axes;  // what was given, a single value too; in the order of the option table
  RawSettings own;         // the sweep's own options as text, defaults too
  std::vector<Problem> problems;
  std::vector<std::string> notes;
};

// `given` as merge_layers(kSweep) leaves it. Throws usage() for what --tune names and cannot be
// tuned.
SweepRequest read_sweep(const RawSettings& given);

}  // namespace scalemark::settings
