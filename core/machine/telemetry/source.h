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
  // Means over kPartsOfCourse equal parts of that time, in order, 0 where a part has no reading.
  // Empty for few readings.
  std::vector<double> course = {};
};

inline constexpr std::size_t kPartsOfCourse = 16;

// The readings of one source, as they come, in constant memory. Pure: time arrives as a number.
class Readings {
 public:
  // `least_interval_s`: a shorter interval of a counter counts in mean and total only, since the
  // steps of coarse counters would look like bursts.
  explicit Readings(SourceName name, double least_interval_s = 0)
      : name_(std::move(name)), least_interval_s_(least_interval_s) {}

  // Between two stretches nothing is counted.
  void begin_stretch() { before_.reset(); }
  // `now_s` grows within a stretch. An absent value is left out; a counter that fell was reset, and
  // counts from there.
  void add(double now_s, std::optional<double> value);

  // Returns nothing where nothing was read, or a counter less than twice.
  std::optional<SourceSummary> summary() const;

 private:
  struct At {
    double s = 0, value = 0;
  };
  void add_growth(const At& before, const At& now);
  void note(double value, double seconds);
  std::vector<double> course() const;

  SourceName name_;
  double least_interval_s_;
  std::optional<At> before_;
  std::int64_t n_ = 0;
  double sum_ = 0, min_ = 0, max_ = 0, first_ = 0, last_ = 0;
  double growth_ = 0, seconds_ = 0;
  // Values with the time at which each was read, counted within stretches. When there are too many,
  // two become one, so that the whole time stays covered.
  std::vector<At> kept_;
  std::int64_t values_per_kept_ = 1, in_last_kept_ = 0;
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
