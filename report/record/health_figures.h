// Makes health[] from snapshots of hardware counters, and counts from health[] how many errors of
// which kind a part made. Pure. Definitions: METRICS.md, "Health".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/field.h"
#include "core/machine/health.h"
#include "report/record/report.h"

namespace scalemark::monitoring {

template <class A>
constexpr void fields(A& a, typename A::template Field<HealthCounter>& c) {
  a.values(c.device, c.uuid, c.counter, c.value);
}

}  // namespace scalemark::monitoring

namespace scalemark::reporting {

// The counters that one rank sees.
struct HealthSnapshot {
  std::string host;
  std::vector<monitoring::HealthCounter> counters;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<HealthSnapshot>& l) {
  a.values(l.host, l.counters);
}

// Puts the snapshots of all ranks into the rows of one session. Without `seconds` they are the
// first ones, else the last ones so far, `seconds` after the first. Several ranks may see the same
// counter.
void add_snapshots(std::vector<HealthRecord>& rows, std::span<const HealthSnapshot> snapshots,
                   std::optional<double> seconds = std::nullopt);

// A figure that is made from counters of one device. Two counters may count the same error.
struct HealthFigure {
  std::string host, device, uuid;
  int session = 0;
  std::optional<double> value;  // growth of a counter, or last value of a state; unset: unknown
  double seconds = 0;           // between the snapshots; 0: there was only one
  std::string text;             // "Xid 79 (1 event)"; empty: nothing to say
};

// Returns the figure `name` (ecc_uncorrected, xid, link_downed, ...) of every device and session
// that has its counters, in the order of the rows.
std::vector<HealthFigure> health_figures(std::string_view name, std::span<const HealthRecord> rows);

// Returns one finding per device with errors that no healthy device makes.
std::vector<Finding> health_findings(std::span<const HealthRecord> rows);

}  // namespace scalemark::reporting
