// Plain records hold what the options of a sweep give: effects, the search of --tune, and from
// which batch size communication stays small. Definitions: docs/METRICS.md, "Effects".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/reporting/record/records.h"
#include "core/statistics/compare.h"

namespace scalemark::reporting {

// A value of an axis against the axis's first value, all else equal.
struct EffectRecord {
  std::string axis;
  std::map<std::string, std::string> fixed;  // option -> value, world_size among them
  std::string from, to;                      // values as typed; `from` is the first
  std::vector<std::string> groups;           // of from, of to
  int pairs = 0;
  double ratio = 1;  // of samples_per_sec; of collectives of calls per second
  Bounds ratio_ci95;
  std::optional<double> p_holm;
  statistics::EffectVerdict verdict = statistics::EffectVerdict::kUnsure;
  std::optional<std::int64_t> memory_delta_bytes;
  std::optional<Phases> phases_delta_s;
  std::optional<double> loss_delta;
  std::optional<std::int64_t> loss_step;  // of `from`
  std::string in_words;
  std::string disturbed_by;  // where it is disturbed: "4 of 6 pairs"
  Standing standing = {};
};

// A value that --tune stopped measuring: after how many runs, and the one-sided p of "it is as
// fast".
struct DroppedValue {
  std::string value;
  int runs = 0;
  double p = 1;
};

// --tune found this for one combination of the other axes.
struct TuningRecord {
  std::string axis;
  std::map<std::string, std::string> fixed;
  std::string fastest, group;
  std::vector<std::string> not_distinguishable;  // values that may be as fast
  std::vector<DroppedValue> dropped;             // on the way: they were surely slower
  std::string in_words;
};

// From which batch size communication stays below a share of the step.
struct CommunicationLimit {
  std::string axis;  // batch_size | global_batch_size
  std::map<std::string, std::string> fixed;
  double share = 0;
  std::optional<std::int64_t> from;        // absent: of none that was measured is it sure
  std::int64_t smallest = 0, largest = 0;  // that were measured
  std::string in_words;
};

}  // namespace scalemark::reporting
