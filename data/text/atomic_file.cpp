#include "data/text/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "core/base/error.h"

namespace scalemark::data {

AtomicFile::AtomicFile(std::filesystem::path path)
    : path_(std::move(path)),
      temporary_(path_.string() + ".partial-" + std::to_string(::getpid())) {
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw cannot_create(temporary_.string() + ": " + std::strerror(errno));
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!committed_) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes, std::int64_t at) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(descriptor_, bytes.data(), bytes.size(), at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail("writing");
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    at += n;
  }
}

void AtomicFile::commit() {
  if (::fsync(descriptor_) != 0) fail("flushing");
  if (::close(std::exchange(descriptor_, -1)) != 0) fail("closing");
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("renaming");
  committed_ = true;
}

void AtomicFile::fail(const char* doing) const {
  throw io_error(std::string(doing) + " " + temporary_.string() + ": " + std::strerror(errno));
}

}  // namespace scalemark::data
