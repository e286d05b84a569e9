// The rules that a fleet is accepted by, as data: strict JSON, nothing in it is evaluated. Knows no
// reports. docs/ACCEPTANCE.md, "Rules", describes the form.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/reporting/acceptance/metrics.h"

namespace scalemark::acceptance {

enum class Comparison { kAtLeast, kAtMost, kSameAsClass };
constexpr auto words_of(Comparison) {
  return std::to_array<Word<Comparison>>({{Comparison::kAtLeast, "at_least"},
                                          {Comparison::kAtMost, "at_most"},
                                          {Comparison::kSameAsClass, "same_as_class"}});
}

// The limit is a share of this, or a number by itself.
enum class LimitOf { kNumber, kReference, kDatasheet };
constexpr auto words_of(LimitOf) {
  return std::to_array<Word<LimitOf>>({{LimitOf::kNumber, "number"},
                                       {LimitOf::kReference, "reference"},
                                       {LimitOf::kDatasheet, "datasheet"}});
}

struct Rule {
  std::string name;  // what people call the check: "training alone"
  Metric metric = Metric::kDeviceRate;
  std::map<std::string, std::string> where;  // only of these: workload, strategy, precision, ...
  Comparison comparison = Comparison::kAtLeast;
  LimitOf of = LimitOf::kNumber;
  double limit = 0;  // a share, or a number in the unit of the metric
};

struct Rules {
  std::string about;
  double tolerance = 0.05;
  std::vector<std::size_t> looks = {3, 5, 10};
  std::vector<Rule> checks;
};

// Throws configuration() (78), naming `file` and the check: text that is no JSON, unknown and
// missing keys, words that are none, numbers out of their range, a comparison that does not fit the
// metric, two checks of one name.
Rules parse_rules(std::string_view text, const std::string& file);

// configs/acceptance/rules/standard.json, which is part of the program.
Rules standard_rules();

}  // namespace scalemark::acceptance
