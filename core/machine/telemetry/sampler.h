// Reads probes beside the work, from a thread of its own, ten times a second as long as it lives;
// less often where reading would take more than 0.5 % of a core. What it reads between begin() and
// end() counts in the summaries, in constant memory; the newest values are there at any time. Its
// own cost is a source, too.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "core/machine/telemetry/source.h"
#include "core/machine/text_file.h"

namespace scalemark::monitoring {

// The share of one core that the sampler itself uses: thread CPU time per second.
inline constexpr const char* kSamplerCost = "sampler_cpu_share";

// The share of the time in which this process was stopped, by a signal or with its machine: in a
// stretch the sampler wakes about every 20 ms, and counts the wakes that came late although the
// scheduler did not let it wait for a CPU. METRICS.md, "What a rank got of its CPUs".
inline constexpr const char* kStoppedShare = "stopped_share";

class Sampler {
 public:
  static constexpr std::chrono::milliseconds kPeriod{100};
  static constexpr double kLargestShare = 0.005;  // it may use this much of a core in the long run

  // `shared`: probes of what this rank shares with others; see read_shared().
  explicit Sampler(std::vector<std::unique_ptr<Probe>> probes,
                   std::chrono::milliseconds period = kPeriod,
                   std::vector<std::unique_ptr<Probe>> shared = {});
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  // Starts a stretch. Does not wait for the first reading.
  void begin();
  // Ends it; returns after the last reading.
  void end();

  // Forgets the stretches so far; call it between them.
  void clear();

  // Whether the shared probes are read from now on, as by one rank of a machine; at first they are
  // not. Call it between stretches.
  void read_shared(bool on) { reads_shared_.store(on, std::memory_order_relaxed); }
  bool reads_shared() const { return reads_shared_.load(std::memory_order_relaxed); }

  // Sums up all stretches; call it between them. Sources of which nothing could be read are left
  // out.
  std::vector<SourceSummary> summaries() const;

  // The newest values, of a counter its total; for any thread. Probes that are read at the ends
  // only are left out.
  struct Latest {
    SourceName name;
    double value = 0;
  };
  std::vector<Latest> latest() const;
  // How often the thread woke more than 5 ms late: something kept it from a CPU.
  std::int64_t late_wakeups() const { return late_wakeups_.load(std::memory_order_relaxed); }
  // CPU time of the thread.
  double cpu_s() const { return cpu_s_.load(std::memory_order_relaxed); }

 private:
  enum class Pass { kIdle, kFirst, kBetween, kLast };
  struct Source {
    std::unique_ptr<Probe> probe;
    bool shared = false;
    std::vector<Readings> readings;  // one per source of the probe
    std::vector<std::optional<double>> values;
    std::vector<std::optional<double>> latest;  // latest_mutex_ guards them
  };

  void add(std::vector<std::unique_ptr<Probe>> probes, bool shared);
  void serve();
  void sample_stretch();
  // Reads what `pass` reads; returns how long to pause after it.
  std::chrono::nanoseconds take(Pass pass);
  bool is_read(const Source& source, Pass pass) const;
  void publish(Source& source);
  template <class Until>
  bool wait(std::unique_lock<std::mutex>& lock, std::chrono::nanoseconds pause, Until until);
  std::chrono::nanoseconds next_nap(std::chrono::nanoseconds left);
  void note_wake(std::chrono::nanoseconds late);

  std::vector<Source> sources_;
  std::chrono::milliseconds period_;
  bool only_at_ends_ = false;
  std::int64_t passes_ = 0;
  // Only the thread uses these four.
  bool in_stretch_ = false;
  std::uint32_t nap_seed_ = 1;
  double queued_s_ = 0, stopped_s_ = 0;
  std::optional<KeptFile> schedule_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t begun_ = 0, ended_ = 0, served_ = 0;  // counts of stretches
  bool over_ = false;
  std::atomic<bool> reads_shared_{false};
  std::atomic<std::int64_t> late_wakeups_{0};
  std::atomic<double> cpu_s_{0};
  mutable std::mutex latest_mutex_;
  std::thread thread_;  // last: it uses the above
};

}  // namespace scalemark::monitoring
