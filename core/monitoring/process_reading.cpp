#include "core/monitoring/process_reading.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>
#include <string>

#include "core/base/error.h"
#include "core/base/number_words.h"
#include "core/monitoring/telemetry/process_probes.h"
#include "core/monitoring/text_file.h"

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

std::uint64_t status_field(std::string_view field) {
  const auto text = read_text("/proc/self/status");
  const auto bytes = text ? kilobyte_field(*text, field) : std::nullopt;
  if (!bytes) {
    throw system_error("/proc/self/status has no field " + std::string(field),
                       "a mounted /proc of Linux");
  }
  return *bytes;
}

}  // namespace

std::optional<std::uint64_t> stat_field(std::string_view stat, int number) {
  std::size_t at = stat.rfind(')');  // ends field 2
  for (int field = 2; field < number && at != stat.npos; ++field) at = stat.find(' ', at + 1);
  if (at == stat.npos) return std::nullopt;
  return leading_number<std::uint64_t>(stat.substr(at + 1));
}

std::optional<std::chrono::duration<double>> process_age() {
  constexpr int kStarted = 22;  // in clock ticks since boot
  const auto text = read_text("/proc/self/stat");
  const auto ticks = text ? stat_field(*text, kStarted) : std::nullopt;
  timespec now{};
  const long per_second = sysconf(_SC_CLK_TCK);
  if (!ticks || per_second <= 0 || clock_gettime(CLOCK_BOOTTIME, &now) != 0) return std::nullopt;
  const double began_s = static_cast<double>(*ticks) / static_cast<double>(per_second);
  const double now_s = static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  return std::chrono::duration<double>(std::max(0.0, now_s - began_s));
}

std::optional<std::uint64_t> kilobyte_field(std::string_view text, std::string_view field) {
  const auto value = behind_key(text, std::string(field) + ":");
  const auto kilobytes = value ? leading_number<std::uint64_t>(*value) : std::nullopt;
  return kilobytes ? std::optional(*kilobytes * 1024) : std::nullopt;
}

std::uint64_t peak_rss_bytes() { return status_field("VmHWM"); }

std::uint64_t rss_bytes() { return status_field("VmRSS"); }

bool reset_peak_rss() {
  malloc_trim(0);
  const int file = ::open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool written = ::write(file, "5", 1) == 1;  // 5: reset the peak (proc(5))
  ::close(file);
  return written;
}

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
