#include "core/monitoring/telemetry/process_probes.h"

#include <ctime>

#include "core/base/watching_thread.h"

namespace scalemark::monitoring {
namespace {

double seconds_on(clockid_t clock) {
  timespec time = {};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

class CpuTime final : public Probe {
 public:
  CpuTime(const char* source, double (*seconds)())
      : Probe({counter_named(source)}), seconds_(seconds) {}
  void read(std::span<std::optional<double>> values) override { values[0] = seconds_(); }
  bool only_at_ends() const override { return true; }

 private:
  double (*seconds_)();
};

class Number final : public Probe {
 public:
  Number(const char* source, const std::atomic<int>& value)
      : Probe({{.source = source, .device = {}}}), value_(value) {}
  void read(std::span<std::optional<double>> values) override { values[0] = value_.load(); }
  bool only_at_ends() const override { return true; }

 private:
  const std::atomic<int>& value_;
};

}  // namespace

std::unique_ptr<Probe> wanted_cpus_probe(const std::atomic<int>& threads) {
  return std::make_unique<Number>(kWantedCpus, threads);
}

std::unique_ptr<Probe> process_cpu_probe() {
  return std::make_unique<CpuTime>(kProcessCpus, process_cpu_s);
}

std::unique_ptr<Probe> thread_cpu_probe(const char* source) {
  return std::make_unique<CpuTime>(source, thread_cpu_s);
}

std::unique_ptr<Probe> watching_cpu_probe() {
  return std::make_unique<CpuTime>(kWatchingCost, watching_cpu_s);
}

double process_cpu_s() { return seconds_on(CLOCK_PROCESS_CPUTIME_ID); }

double thread_cpu_s() { return seconds_on(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace scalemark::monitoring
