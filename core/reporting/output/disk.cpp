#include "core/reporting/output/disk.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "core/base/atomic_file.h"

namespace scalemark::reporting {
namespace {

namespace fs = std::filesystem;

// 0, or errno.
int read_all(int descriptor, std::string& text) {
  std::array<char, 1 << 16> buffer;
  while (true) {
    const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) return 0;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

std::optional<std::string> read_if_there(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    throw file_failure("read", file, errno);
  }
  std::string text;
  const int error = read_all(descriptor, text);
  ::close(descriptor);
  if (error != 0) throw file_failure("read", file, error);
  return text;
}

int write_all(int descriptor, std::string_view bytes) {
  if (const int error = write_whole(descriptor, bytes)) return error;
  return ::fsync(descriptor) == 0 ? 0 : errno;
}

Error file_failure(const char* verb, const fs::path& file, int error) {
  return io_error(
      std::string("cannot ") + verb + " " + file.string() + ": " + std::strerror(error), {},
      error == ENOSPC || error == EDQUOT ? "free space there, or choose another --output"
      : error == EFBIG                   ? kFileSizeHint
                                         : "");
}

void write_atomically(const fs::path& file, std::string_view text) {
  AtomicFile written(file, file.string() + ".tmp", file_failure);
  written.append(text);
  written.commit();
}

bool SpaceReserve::hold(std::size_t bytes) {
  if (bytes <= held_bytes_) return true;
  const int descriptor = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return false;
  if (::posix_fallocate(descriptor, 0, static_cast<off_t>(bytes)) == 0) held_bytes_ = bytes;
  ::close(descriptor);
  return bytes <= held_bytes_;
}

void SpaceReserve::release() noexcept {
  ::unlink(file_.c_str());
  held_bytes_ = 0;
}

}  // namespace scalemark::reporting
