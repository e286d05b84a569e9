// How this process stands by its own files of /proc: how old it is, what memory it holds, what its
// threads used. Knows nothing of allocators or devices.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "core/monitoring/telemetry/kept_file.h"

namespace scalemark::monitoring {

// How long ago Linux created this process, which is before its first instruction. Absent where
// /proc does not say.
std::optional<std::chrono::duration<double>> process_age();

// The number in field `number`, 3 or more, of a /proc/PID/stat text (proc(5)). Pure. The program's
// name before it, in parentheses, may hold any characters.
std::optional<std::uint64_t> stat_field(std::string_view stat, int number);

// Highest resident size since the process began or reset_peak_rss() was called. Throws
// system_error() where /proc cannot be read.
std::uint64_t peak_rss_bytes();
std::uint64_t rss_bytes();

// Gives free heap pages back and resets the peak, so that one point's peak does not count for the
// next. False where the kernel refuses (some sandboxes): the peak then remains that of the process.
bool reset_peak_rss();

// "VmHWM:   123 kB" of a /proc/self/status text, in bytes. Pure.
std::optional<std::uint64_t> kilobyte_field(std::string_view text, std::string_view field);

// Whatever cannot be read is absent or 0.
struct ProcessReading {
  std::int64_t resident_bytes = 0, major_faults = 0;
  double cpu_s = 0;  // of all its threads
  // The thread that made the reader, by the scheduler: on a CPU, and ready without one. Absent
  // where the kernel keeps no such statistics.
  std::optional<double> main_ran_s, main_queued_s;
};

class ProcessReader {
 public:
  // To be made by the main thread; read() may be called by another one.
  explicit ProcessReader(const std::filesystem::path& process = "/proc/self");

  ProcessReading read();

 private:
  KeptFile memory_, schedule_;
};

}  // namespace scalemark::monitoring
