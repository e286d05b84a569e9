// A series holds what one part of a fleet showed in one metric, start by start, in the order in
// which processes were started. Pure.
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "report/accept/rules.h"
#include "report/judge/point/fingerprint.h"
#include "report/record/report.h"

namespace scalemark::acceptance {

// The host of results that are of the fleet and of no single part.
inline constexpr const char* kTheFleet = "the fleet";

// A device, a node, a link between two nodes, or the fleet.
struct Part {
  PartKind kind = PartKind::kNode;
  std::string host, scheduler_node;  // the scheduler's name is empty where it is not known
  std::string device;                // "cuda:3"; "cpu:1": the second rank of a machine
  std::string uuid, pci, serial;     // a GPU has them; empty where they are not known
  std::optional<int> rank;           // a device has it in the report that named it first
  std::string other, end;            // a link ends there: the host, and that end by name

  std::string name() const;  // "n7 cuda:3", "n7", "n3 to n7"
  // The key is the same in several reports: the UUID, where there is one.
  std::string key() const;
};

// Returns the scheduler's name for the part's machine, or else its host name.
std::string scheduler_name(const Part& part);

// One start of a process that measured the part: the mean over the runs that nothing disturbed.
struct Start {
  double value = std::numeric_limits<double>::quiet_NaN();
  std::optional<double> low, high;  // interval of ValueKind::kFloor: 95 %, of the fleet's 98 %
  std::optional<double> burst;      // a held measurement's rate in its first seconds
  std::string fact;     // ValueKind::kFact has it instead of a value, counters beside it
  std::string boot;     // id of the boot; empty: not known
  std::string why;      // why there is no value
  bool failed = false;  // a run was out of memory, failed or was skipped
  int throttled_runs = 0;
  double seconds = 0;       // ValueKind::kCounter: how long its session was
  std::size_t session = 0;  // rates that were measured at one time have one number
};

struct Series {
  Part part;
  // Only parts of one class are compared: what was measured on which product, and on which versions
  // of libraries and driver.
  std::string of_class, software;
  std::string chip;  // the datasheet of a device is found by it
  std::string precision;
  std::vector<Start> starts;
  bool unsteady = false;  // its windows, all repetitions together, were shown not to be steady
  // The most that it could reach by its datasheet or its links; only what is known is there.
  std::map<LimitOf, reporting::Peak> at_most = {};
};

// Collects series by part and class, in the order in which they come first: every session of a part
// and class is a start of one series.
class SeriesOfParts {
 public:
  // Valid until the next call.
  Series& at(Part part, const std::string& of_class = "");
  std::vector<Series> all() && { return std::move(all_); }

 private:
  std::vector<Series> all_;
  std::map<std::pair<std::string, std::string>, std::size_t> places_;  // in all_, by class and key
};

// Groups series by class and software, in the order in which classes come first.
std::vector<std::vector<const Series*>> by_class(const std::vector<Series>& all);

// Returns ln of the value of each start that has one.
std::vector<double> logarithms_of(const Series& series);

// A floor is wrong on each side in 1 % at the limit.
inline constexpr double kConfidenceOfFloors = 0.98;

inline constexpr int kThrottledRuns = 2;  // so many fail a part, whatever its speed
int throttled_runs(const Series& series);
// Returns the first start in which a run failed; null: none.
const Start* failed_start(const Series& series);
// Clocks above those of a datasheet explain less than that.
inline constexpr double kBeyondPhysics = 1.2;
// Returns by how many times the mean of its starts exceeds the datasheet, where that cannot be.
std::optional<double> beyond_physics(const Series& series);
// A throttled part, one with a failed run and one beyond physics have no speed that counts, for the
// reference neither.
bool has_speed(const Series& series);

using reporting::NamedReport;

// Reads `rule.metric` where `rule.where` fits. `reports` stand in the order of time, and series in
// the order in which their parts come first.
std::vector<Series> read_series(const Rule& rule, std::span<const NamedReport> reports);

// Returns every node of the reports, with the name that the scheduler gives it.
std::vector<Part> nodes_of(std::span<const NamedReport> reports);

}  // namespace scalemark::acceptance
