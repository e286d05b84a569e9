// From snapshots of counters of hardware to health[], and from health[] to what a person asks: how
// many errors of which kind did this part make? Pure. Definitions: docs/METRICS.md, "Health".
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

// Puts the snapshots of all ranks into the rows of one session: without `seconds` as the first one,
// else as the last one so far, `seconds` after the first. Ranks may see the same counter.
void add_snapshots(std::vector<HealthRecord>& rows, std::span<const HealthSnapshot> snapshots,
                   std::optional<double> seconds = std::nullopt);

// A figure is made of counters of one device; counters themselves may count one error twice.
struct HealthFigure {
  std::string host, device, uuid;
  int session = 0;
  std::optional<double> value;  // growth of a counter, last value of a state; unset: not known
  double seconds = 0;           // between the snapshots; 0: there was one
  std::string text;             // "Xid 79 (1 event)"; empty: nothing to say
};

// `name` (ecc_uncorrected, xid, link_downed, ...) of every device and session that has its
// counters, in the order of the rows.
std::vector<HealthFigure> health_figures(std::string_view name, std::span<const HealthRecord> rows);

// One for each device with errors that no healthy one makes.
std::vector<Finding> health_findings(std::span<const HealthRecord> rows);

}  // namespace scalemark::reporting
