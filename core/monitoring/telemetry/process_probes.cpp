#include "core/monitoring/telemetry/process_probes.h"

#include <unistd.h>

#include <ctime>
#include <string>
#include <utility>

#include "core/base/threads.h"
#include "core/monitoring/process_reading.h"
#include "core/monitoring/telemetry/host_probes.h"
#include "core/monitoring/telemetry/kept_file.h"

namespace scalemark::monitoring {
namespace {

double seconds_on(clockid_t clock) {
  timespec time = {};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

std::unique_ptr<Probe> process_cpu_probe(const std::filesystem::path& root) {
  const auto ticks_per_s = static_cast<double>(::sysconf(_SC_CLK_TCK));
  auto fill = [stat = KeptFile(root / "proc/self/stat"), ticks_per_s](ProbeValues values) mutable {
    values[0] = process_cpu_s();
    if (!stat.is_open()) return;
    const std::string_view text = stat.text();
    const auto user = stat_field(text, 14), system = stat_field(text, 15);
    if (user && system) values[1] = static_cast<double>(*user + *system) / ticks_per_s;
  };
  return probe_of({counter_named(kProcessCpus), counter_named(kProcessCpusByTicks)},
                  std::move(fill), kOnlyAtEnds);
}

std::unique_ptr<Probe> thread_cpu_probe(const char* source) {
  return probe_of(
      {counter_named(source)}, [](ProbeValues values) { values[0] = thread_cpu_s(); }, kOnlyAtEnds);
}

std::vector<std::unique_ptr<Probe>> process_probes(const std::atomic<int>& threads,
                                                   const std::filesystem::path& root) {
  std::vector<std::unique_ptr<Probe>> probes;
  probes.push_back(process_cpu_probe(root));
  probes.push_back(probe_of(
      {counter_named(kWatchingCost)}, [](ProbeValues values) { values[0] = watching_cpu_s(); },
      kOnlyAtEnds));
  probes.push_back(probe_of(
      {{.source = kWantedCpus, .device = {}}},
      [&threads](ProbeValues values) { values[0] = threads.load(); }, kOnlyAtEnds));
  if (auto probe = cgroup_probe(root)) probes.push_back(std::move(probe));
  return probes;
}

double process_cpu_s() { return seconds_on(CLOCK_PROCESS_CPUTIME_ID); }

double thread_cpu_s() { return seconds_on(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace scalemark::monitoring
