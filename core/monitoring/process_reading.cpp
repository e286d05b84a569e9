#include "core/monitoring/process_reading.h"

#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <string>

#include "core/monitoring/telemetry/process_probes.h"

namespace scalemark::monitoring {
namespace {

// The first two numbers of a file.
std::optional<std::array<double, 2>> two_numbers(KeptFile& file) {
  const std::string_view text = file.text();
  std::array<double, 2> numbers{};
  const char* at = text.data();
  for (double& number : numbers) {
    while (at < text.data() + text.size() && *at == ' ') ++at;
    const auto parsed = std::from_chars(at, text.data() + text.size(), number);
    if (parsed.ec != std::errc()) return std::nullopt;
    at = parsed.ptr;
  }
  return numbers;
}

}  // namespace

ProcessReader::ProcessReader(const std::filesystem::path& process)
    : memory_(process / "statm"),
      schedule_(process / "task" / std::to_string(::gettid()) / "schedstat") {}

ProcessReading ProcessReader::read() {
  ProcessReading reading;
  // proc(5): statm has pages, the second number is those that are resident.
  if (const auto pages = two_numbers(memory_))
    reading.resident_bytes = static_cast<std::int64_t>((*pages)[1]) * ::sysconf(_SC_PAGESIZE);
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) == 0) reading.major_faults = usage.ru_majflt;
  reading.cpu_s = process_cpu_s();
  // Kernel: Documentation/scheduler/sched-stats.rst; in nanoseconds.
  if (const auto times = two_numbers(schedule_)) {
    reading.main_ran_s = 1e-9 * (*times)[0];
    reading.main_queued_s = 1e-9 * (*times)[1];
  }
  return reading;
}

}  // namespace scalemark::monitoring
