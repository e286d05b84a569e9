// How one process stands by its own files of /proc. Whatever cannot be read is absent or 0.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "core/monitoring/telemetry/kept_file.h"

namespace scalemark::monitoring {

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
