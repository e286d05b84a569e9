// Reads probes beside the work, from a thread of its own: at the beginning, at the end and ten
// times a second in between; less often where reading would take more than 0.5 % of a core. Its
// own cost is a source, too.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/monitoring/telemetry/readings.h"
#include "core/monitoring/telemetry/source.h"

namespace scalemark::monitoring {

// The share of one core that the sampler itself uses: thread CPU time per second.
inline constexpr const char* kSamplerCost = "sampler_cpu_share";

class Sampler {
 public:
  static constexpr std::chrono::milliseconds kPeriod{100};
  static constexpr double kLargestShare = 0.005;  // of one core, in the long run

  explicit Sampler(std::vector<std::unique_ptr<Probe>> probes,
                   std::chrono::milliseconds period = kPeriod);
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  // Starts a stretch. Does not wait for the first reading.
  void begin();
  // Ends it; returns after the last reading.
  void end();

  // Forgets the stretches so far; call it between them.
  void clear();

  // Sums up all stretches; call it between them. Sources of which nothing could be read are left
  // out.
  std::vector<SourceSummary> summaries() const;

 private:
  enum class Pass { kFirst, kBetween, kLast };
  struct Source {
    std::unique_ptr<Probe> probe;
    std::vector<Readings> readings;  // one per source of the probe
    std::vector<std::optional<double>> values;
  };

  void serve();
  void sample_stretch();
  bool ends_within(std::unique_lock<std::mutex>& lock, std::chrono::nanoseconds pause);
  void take(Pass pass);
  std::chrono::nanoseconds pause_after(double pass_cpu_s) const;

  std::vector<Source> sources_;
  std::chrono::milliseconds period_;
  bool only_at_ends_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t begun_ = 0, ended_ = 0, served_ = 0;  // stretches
  bool over_ = false;
  std::thread thread_;  // last: it uses the above
};

}  // namespace scalemark::monitoring
