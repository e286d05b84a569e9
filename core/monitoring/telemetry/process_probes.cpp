#include "core/monitoring/telemetry/process_probes.h"

#include <unistd.h>

#include <ctime>
#include <sstream>
#include <string>
#include <utility>

#include "core/base/watching_thread.h"
#include "core/monitoring/telemetry/host_probes.h"
#include "core/monitoring/telemetry/kept_file.h"

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

// "PID (NAME) S ...": utime and stime are the 12th and 13th fields behind the name, which may hold
// blanks and parentheses (proc_pid_stat(5)).
std::optional<double> ticks_of_process(std::string_view text) {
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  std::istringstream fields{std::string(text.substr(name_end + 1))};
  std::string skipped;
  for (int field = 0; field < 11; ++field) fields >> skipped;
  double user = 0, system = 0;
  if (!(fields >> user >> system)) return std::nullopt;
  return user + system;
}

class ProcessCpus final : public Probe {
 public:
  explicit ProcessCpus(const std::filesystem::path& root)
      : Probe({counter_named(kProcessCpus), counter_named(kProcessCpusByTicks)}),
        stat_(root / "proc/self/stat") {}
  void read(std::span<std::optional<double>> values) override {
    values[0] = process_cpu_s();
    if (!stat_.is_open()) return;
    if (const auto ticks = ticks_of_process(stat_.text())) values[1] = *ticks / ticks_per_s_;
  }
  bool only_at_ends() const override { return true; }

 private:
  KeptFile stat_;
  double ticks_per_s_ = static_cast<double>(::sysconf(_SC_CLK_TCK));
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

std::unique_ptr<Probe> process_cpu_probe(const std::filesystem::path& root) {
  return std::make_unique<ProcessCpus>(root);
}

std::unique_ptr<Probe> thread_cpu_probe(const char* source) {
  return std::make_unique<CpuTime>(source, thread_cpu_s);
}

std::vector<std::unique_ptr<Probe>> process_probes(const std::atomic<int>& threads,
                                                   const std::filesystem::path& root) {
  std::vector<std::unique_ptr<Probe>> probes;
  probes.push_back(process_cpu_probe(root));
  probes.push_back(std::make_unique<CpuTime>(kWatchingCost, watching_cpu_s));
  probes.push_back(std::make_unique<Number>(kWantedCpus, threads));
  if (auto probe = cgroup_probe(root)) probes.push_back(std::move(probe));
  return probes;
}

double process_cpu_s() { return seconds_on(CLOCK_PROCESS_CPUTIME_ID); }

double thread_cpu_s() { return seconds_on(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace scalemark::monitoring
