// A machine at work can be read as numbers: this file says which sources there are, and what the
// readings of one come to. Knows neither ranks nor windows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace scalemark::monitoring {

// A gauge is a value of the moment: a clock, a temperature. A counter only grows: bytes, seconds of
// throttling. What is told of it is its growth per second.
enum class SourceKind { kGauge, kCounter };

struct SourceName {
  std::string source;  // with its unit: "sm_clock_MHz"
  std::string device;  // "cuda:0", "eth0"; empty: the machine
  SourceKind kind = SourceKind::kGauge;
};

inline SourceName counter_named(const char* source, const std::string& device = {}) {
  return {.source = source, .device = device, .kind = SourceKind::kCounter};
}

struct SourceSummary {
  std::string source, device;
  std::int64_t n = 0;  // readings of a gauge; intervals between readings of a counter
  double mean = 0, min = 0, max = 0, first = 0, last = 0;
  std::optional<double> total;  // of a counter: its growth
  double observed_s = 0;        // from the first reading to the last
};

// One place that several sources are read from at once: a file, a GPU.
class Probe {
 public:
  explicit Probe(std::vector<SourceName> names = {}) : names_(std::move(names)) {}
  virtual ~Probe() = default;

  const std::vector<SourceName>& sources() const { return names_; }

  // One value per source, in their order; of a counter what it stands at. Absent: it cannot be read
  // now. Called from the sampler's thread only.
  virtual void read(std::span<std::optional<double>> values) = 0;

  // Whether reading is too slow for many times a second.
  virtual bool only_at_ends() const { return false; }

  // In between it is read at one pass out of so many.
  virtual int every() const { return 1; }

 protected:
  std::vector<SourceName> names_;
};

}  // namespace scalemark::monitoring
