#include "core/monitoring/memory.h"

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/monitoring/text_file.h"

namespace scalemark::monitoring {
namespace {

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

std::optional<std::uint64_t> kilobyte_field(std::string_view text, std::string_view field) {
  const std::string key = std::string(field) + ":";
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    auto line = text.substr(begin, end - begin);
    begin = end + 1;
    if (!line.starts_with(key)) continue;
    line.remove_prefix(key.size());
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    const auto kilobytes = leading_number<std::uint64_t>(line);
    return kilobytes ? std::optional(*kilobytes * 1024) : std::nullopt;
  }
  return std::nullopt;
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

}  // namespace scalemark::monitoring
