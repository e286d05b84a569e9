// A machine at work can be read as numbers: this file says which sources there are, and what is
// reported of their readings. Knows neither ranks nor windows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace scalemark::monitoring {

// A gauge is a value of the moment: a clock, a temperature. A counter only grows: bytes, seconds of
// throttling. Its growth per second is reported.
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
  std::optional<double> total;  // growth; only a counter has one
  double observed_s = 0;        // from the first reading to the last
};

using ProbeValues = std::span<std::optional<double>>;

// One place that several sources are read from at once: a file, a GPU.
class Probe {
 public:
  explicit Probe(std::vector<SourceName> names = {}) : names_(std::move(names)) {}
  virtual ~Probe() = default;

  const std::vector<SourceName>& sources() const { return names_; }

  // One value per source, in their order; of a counter its total. Absent: it cannot be read now.
  // Called from the sampler's thread only.
  virtual void read(ProbeValues values) = 0;

  // Whether reading is too slow for many times a second.
  virtual bool only_at_ends() const { return false; }

  // Between the ends it is read at one pass out of so many.
  virtual int every() const { return 1; }

 protected:
  std::vector<SourceName> names_;
};

struct ProbeTimes {
  int every = 1;  // see Probe
  bool only_at_ends = false;
};
inline constexpr ProbeTimes kOnlyAtEnds{.only_at_ends = true};

// See probe_of().
template <class Fill>
class FilledProbe final : public Probe {
 public:
  FilledProbe(std::vector<SourceName> names, Fill fill, ProbeTimes times)
      : Probe(std::move(names)), fill_(std::move(fill)), times_(times) {}
  void read(ProbeValues values) override { fill_(values); }
  bool only_at_ends() const override { return times_.only_at_ends; }
  int every() const override { return times_.every; }

 private:
  Fill fill_;
  ProbeTimes times_;
};

// Makes a probe whose values `fill` sets.
template <class Fill>
std::unique_ptr<Probe> probe_of(std::vector<SourceName> names, Fill fill, ProbeTimes times = {}) {
  return std::make_unique<FilledProbe<Fill>>(std::move(names), std::move(fill), times);
}

}  // namespace scalemark::monitoring
