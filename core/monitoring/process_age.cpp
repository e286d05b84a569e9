#include "core/monitoring/process_age.h"

#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "core/base/numbers.h"
#include "core/monitoring/text_file.h"

namespace scalemark::monitoring {

std::optional<std::uint64_t> start_ticks(std::string_view stat) {
  constexpr int kFieldsBetween = 20;  // the state is field 3, the start field 22
  std::size_t at = stat.rfind(')');
  for (int field = 0; field < kFieldsBetween && at != stat.npos; ++field) {
    at = stat.find(' ', at + 1);
  }
  if (at == stat.npos) return std::nullopt;
  return leading_number<std::uint64_t>(stat.substr(at + 1));
}

std::optional<std::chrono::duration<double>> process_age() {
  const auto text = read_text("/proc/self/stat");
  const auto ticks = text ? start_ticks(*text) : std::nullopt;
  timespec now{};
  const long per_second = sysconf(_SC_CLK_TCK);
  if (!ticks || per_second <= 0 || clock_gettime(CLOCK_BOOTTIME, &now) != 0) return std::nullopt;
  const double began_s = static_cast<double>(*ticks) / static_cast<double>(per_second);
  const double now_s = static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  return std::chrono::duration<double>(std::max(0.0, now_s - began_s));
}

}  // namespace scalemark::monitoring
