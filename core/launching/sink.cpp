#include "core/launching/sink.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace scalemark::launching {

void Sink::add_raw(std::string_view bytes) {
  if (closed_ || bytes.empty()) return;
  pending_ += bytes;
  mid_line_ = bytes.back() != '\n';
}

void Sink::add_lines(std::string_view lines) {
  if (closed_ || lines.empty()) return;
  if (mid_line_) pending_ += terminal_ ? "\r\x1b[K" : "\n";
  add_raw(lines);
}

void Sink::write_some() {
  // A writable pipe takes PIPE_BUF bytes without blocking, even in blocking mode.
  const auto count = std::min<std::size_t>(pending_.size(), PIPE_BUF);
  const auto written = write(fd_, pending_.data(), count);
  if (written > 0) {
    pending_.erase(0, static_cast<std::size_t>(written));
  } else if (written < 0 && errno != EINTR && errno != EAGAIN) {
    failure_ = errno == EPIPE ? 0 : errno;  // a reader that has gone has what it wanted
    closed_ = true;
    pending_.clear();
  }
}

}  // namespace scalemark::launching
