// The metrics of acceptance (metric_list.inc), and the rules that a fleet is accepted by, as data:
// strict JSON, nothing in it is evaluated. Knows no reports. docs/ACCEPTANCE.md, "Rules", describes
// the form.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/words.h"

namespace scalemark::acceptance {

enum class PartKind { kDevice, kNode, kLink, kFleet };
constexpr auto words_of(PartKind) {
  return std::to_array<Word<PartKind>>({{PartKind::kDevice, "device"},
                                        {PartKind::kNode, "node"},
                                        {PartKind::kLink, "link"},
                                        {PartKind::kFleet, "fleet"}});
}

// A metric is expected of fleets that have this. kWithSeveralDevices: on one node, since a single
// device has no other to train with. kWithOwnTimes: besides, the phases of their steps were timed,
// as replayed ones are not. kWithThreeNodes: of two nodes that differ, neither is the odd one.
// kWhereMeasured: some report has it, which those of older versions have not.
enum class Applies {
  kEverywhere,
  kWithGpus,
  kWithSeveralDevices,
  kWithOwnTimes,
  kWhereMeasured,
  kWithSeveralNodes,
  kWithThreeNodes
};

// The kind says how values are compared: repeated rates by the rule of statistics/acceptance.h, a
// floor with each value's own interval, counts, the growth of counters of health[], states that it
// holds, and texts that must be alike.
enum class ValueKind { kRate, kFloor, kCount, kCounter, kState, kFact };

enum class Metric {
#define SCALEMARK_METRIC(id, name, unit, of, applies, kind, about) id,
#include "report/accept/metric_list.inc"
#undef SCALEMARK_METRIC
};

struct MetricDefinition {
  Metric id;
  std::string_view name, unit;
  PartKind of;
  Applies applies;
  ValueKind kind;
  std::string_view about;
};

inline constexpr std::array kMetrics = {
#define SCALEMARK_METRIC(id, name, unit, of, applies, kind, about) \
  MetricDefinition{Metric::id, name, unit, PartKind::of, Applies::applies, ValueKind::kind, about},
#include "report/accept/metric_list.inc"
#undef SCALEMARK_METRIC
};

constexpr const MetricDefinition& definition_of(Metric metric) {
  return kMetrics.at(static_cast<std::size_t>(metric));
}

enum class Comparison { kAtLeast, kAtMost, kGrowsByAtMost, kSameAsClass };
constexpr auto words_of(Comparison) {
  return std::to_array<Word<Comparison>>({{Comparison::kAtLeast, "at_least"},
                                          {Comparison::kAtMost, "at_most"},
                                          {Comparison::kGrowsByAtMost, "grows_by_at_most"},
                                          {Comparison::kSameAsClass, "same_as_class"}});
}

// The limit is a share of this, or a number. kNvlink and kPcie are what the links of a GPU carry
// one way, kRdma and kSockets what the ports of a node have for each of its ranks, kExpected what
// the measured links allow when all are used; kBurst is what a device reached in its first seconds.
enum class LimitOf {
  kNumber,
  kReference,
  kDatasheet,
  kNvlink,
  kPcie,
  kRdma,
  kSockets,
  kExpected,
  kBurst,
  kSession
};
constexpr auto words_of(LimitOf) {
  return std::to_array<Word<LimitOf>>({{LimitOf::kNumber, "number"},
                                       {LimitOf::kReference, "reference"},
                                       {LimitOf::kDatasheet, "datasheet"},
                                       {LimitOf::kNvlink, "nvlink"},
                                       {LimitOf::kPcie, "pcie"},
                                       {LimitOf::kRdma, "rdma"},
                                       {LimitOf::kSockets, "sockets"},
                                       {LimitOf::kExpected, "expected"},
                                       {LimitOf::kBurst, "burst"},
                                       {LimitOf::kSession, "session"}});
}

// Whether the limit is a share of what is possible at most, which is not known of every product.
constexpr bool is_of_physics(LimitOf of) {
  return of >= LimitOf::kDatasheet && of <= LimitOf::kExpected;
}

struct Rule {
  std::string name;  // "training alone"
  Metric metric = Metric::kDeviceRate;
  std::map<std::string, std::string> where;  // only runs with these values: workload, strategy, ...
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

// Throws configuration() (78), naming `file` and the check: no JSON, unknown and missing keys or
// words, numbers out of range, a comparison that the metric has not, two checks of one name.
Rules parse_rules(std::string_view text, const std::string& file);

Rules standard_rules();  // configs/acceptance/rules/standard.json, which is part of the program

}  // namespace scalemark::acceptance
