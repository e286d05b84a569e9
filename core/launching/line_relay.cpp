#include "core/launching/line_relay.h"

namespace scalemark::launching {
namespace {

constexpr std::size_t kLongestLine = 1 << 20;
constexpr std::size_t kLastLines = 5;
constexpr std::size_t kLongestLastLine = 400;

}  // namespace

std::string LineRelay::feed(std::string_view bytes) {
  std::string out;
  if (mode_ == Mode::kRaw) out = bytes;
  pending_ += bytes;
  std::size_t start = 0;
  while (start < pending_.size()) {
    auto end = pending_.find('\n', start);
    if (end == std::string::npos && pending_.size() - start < kLongestLine) break;
    const bool cut = end == std::string::npos || end - start > kLongestLine;
    if (cut) end = start + kLongestLine;
    const auto line = std::string_view(pending_).substr(start, end - start);
    remember(line);
    if (mode_ == Mode::kLines) out.append(prefix_).append(line).append("\n");
    start = cut ? end : end + 1;
  }
  pending_.erase(0, start);
  return out;
}

std::string LineRelay::finish() {
  if (pending_.empty()) return {};
  remember(pending_);
  const std::string rest = mode_ == Mode::kLines ? prefix_ + pending_ + "\n" : "";
  pending_.clear();
  return rest;
}

void LineRelay::remember(std::string_view line) {
  while (line.ends_with('\r')) line.remove_suffix(1);
  if (const auto redraw = line.rfind('\r'); redraw != std::string_view::npos) {
    line.remove_prefix(redraw + 1);
  }
  if (line.empty()) return;
  last_lines_.emplace_back(line.substr(0, kLongestLastLine));
  if (last_lines_.size() > kLastLines) last_lines_.pop_front();
}

}  // namespace scalemark::launching
