// A run reads these numbers of its machines while it runs; each is a row of machine_numbers.inc.
// Probes give the values, and whatever shows numbers walks the rows: the records of ranks and
// status.json (core/live/status.h), rates, `top`, the live page and the page of metrics.
#pragma once

#include "core/base/field.h"
#include "core/machine/telemetry/source.h"

namespace scalemark::monitoring {

// How people read a number: 1,234 | 12.3 | 12 % | 12.3 GiB | 1.2 | 640 W | 1,755 MHz | 61 degrees.
enum class NumberForm { kWhole, kPerSecond, kShare, kBytes, kCpus, kWatts, kMegahertz, kCelsius };

inline constexpr int kPageOnly = 0;  // a weight

struct MachineNumber {
  // Several numbers may have one name: each has its `value` of the `label`.
  struct Metric {
    const char *name = "", *help = "";
    const char *label = "", *value = "";
    double scale = 1;
  };
  // A column of `top` and of the live page, with a head of two lines. The least `weight` goes first
  // where a terminal is too narrow.
  struct Column {
    const char *above = "", *below = "";
    int place = 0, weight = kPageOnly;
    NumberForm form = NumberForm::kWhole;
  };

  const char* source;  // Empty: no probe reads it.
  SourceKind kind;
  About about;               // It stands in status.json.
  About rate;                // A counter of a machine grows by it in a second.
  Metric metric;             // The page of metrics has it, behind "scalemark_".
  Column column;             // Without `below` there is none.
  const char* counter = "";  // GpuHealth (health.h) counts it.
};

#define SCALEMARK_GPU(member, id, source, ...) inline constexpr const char* id = source;
#define SCALEMARK_NODE(member, id, source, ...) inline constexpr const char* id = source;
#define SCALEMARK_INTERFACE_RATE(rate, member, id, source, ...) \
  inline constexpr const char* id = source;
#include "core/machine/machine_numbers.inc"

namespace numbers {

using enum NumberForm;
using enum SourceKind;

#define SCALEMARK_GPU(member, id, name, ...) inline constexpr MachineNumber member{id, __VA_ARGS__};
#define SCALEMARK_NODE(member, id, name, ...) \
  inline constexpr MachineNumber member{id, kGauge, __VA_ARGS__};
#define SCALEMARK_INTERFACE_RATE(rate, member, id, name, ...) \
  inline constexpr MachineNumber member{id, kCounter, __VA_ARGS__};
#define SCALEMARK_NODE_RATE SCALEMARK_INTERFACE_RATE
#include "core/machine/machine_numbers.inc"

}  // namespace numbers
}  // namespace scalemark::monitoring
