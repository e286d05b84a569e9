// Records of what is to be said beside the numbers: findings, causes of a slow step, and what the
// scheduler shows of them.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/base/words.h"

namespace scalemark::reporting {

// Where a cause is found: in what computes, in its machine, between two machines, in all that lies
// between them, or in programs.
enum class CauseLayer { kDevice, kNode, kLink, kFabric, kSoftware };
constexpr auto words_of(CauseLayer) {
  return std::to_array<Word<CauseLayer>>({{CauseLayer::kDevice, "device"},
                                          {CauseLayer::kNode, "node"},
                                          {CauseLayer::kLink, "link"},
                                          {CauseLayer::kFabric, "fabric"},
                                          {CauseLayer::kSoftware, "software"}});
}

// These kept a rank from a CPU, mean per step over its window; unset where they cannot be read.
struct Scheduling {
  // By the scheduler: the thread that computes was on a CPU, or ready without one.
  std::optional<double> ran_s, queued_s;
  std::optional<double> stopped_s;    // the process was stopped, or its machine was
  std::optional<double> throttled_s;  // the quota of its control groups held it back
  std::optional<double> major_faults;
};

// The part that a finding blames, as far as it is known. A link is named "n1 to n2".
struct FindingPlace {
  std::optional<int> rank;
  std::string host, device, link;
};

// A part of the step that had a cause, or is the cost of a design: see cause_list.inc.
struct CauseRecord {
  std::string code;
  bool is_fault = false;  // false: a cost of the design
  std::string domain, layer;
  double seconds = 0;  // that it takes of a step
  std::optional<FindingPlace> place;
  std::string text, remedy;
  // A step gets shorter by no more than at_most_s, or by about predicted_s.
  std::optional<double> at_most_s, predicted_s;
  std::map<std::string, double> values;
  std::map<std::string, std::string> words;
};

struct Finding {
  std::string code, severity;  // info | warning | error
  std::string point, text;
  std::string domain;  // hardware | network | software | data | launch
  std::optional<FindingPlace> place;
  // The text is made from these, by their names in finding_list.inc. make_finding() sets all of
  // them. Reports of earlier versions have none.
  std::map<std::string, double> values;
  std::map<std::string, std::string> words;
};

}  // namespace scalemark::reporting
