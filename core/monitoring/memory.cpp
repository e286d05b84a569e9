#include "core/monitoring/memory.h"

#include <malloc.h>

#include <fstream>
#include <sstream>
#include <string>

namespace scalemark::monitoring {

std::uint64_t peak_rss_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("VmHWM:")) continue;
    std::uint64_t kib = 0;
    std::istringstream(line.substr(6)) >> kib;
    return kib * 1024;
  }
  return 0;
}

void reset_peak_rss() {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";  // 5: reset the peak (proc(5)); best effort
}

}  // namespace scalemark::monitoring
