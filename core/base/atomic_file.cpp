#include "core/base/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "core/base/descriptor.h"

namespace scalemark {
namespace {

namespace fs = std::filesystem;

fs::path own_temporary(const fs::path& path) {
  return path.string() + ".tmp-" + std::to_string(::getpid());
}

}  // namespace

Error file_failure(const char* verb, const fs::path& file, int error) {
  std::string what = std::string("cannot ") + verb + " " + file.string() + ": ";
  what += std::strerror(error);
  const bool full = error == ENOSPC || error == EDQUOT;
  const std::string hint = full ? "free space there, or choose another place" : "";
  return std::string_view(verb) == "create" ? cannot_create(what, {}, hint)
                                            : io_error(what, {}, hint);
}

void sync_folder(const fs::path& folder, FileFailure failure) {
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.open()) throw failure("open", folder, errno);
  const int error = ::fsync(opened.get()) == 0 ? 0 : errno;
  // Some network file systems cannot fsync a folder: that is no error.
  if (error != 0 && error != EINVAL && error != ENOTSUP) throw failure("sync", folder, error);
}

AtomicFile::AtomicFile(fs::path path, fs::path temporary, FileFailure failure)
    : path_(std::move(path)),
      temporary_(temporary.empty() ? own_temporary(path_) : std::move(temporary)),
      failure_(failure) {
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw failure_("create", temporary_, errno);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!moved_) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes, std::int64_t at) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(descriptor_, bytes.data(), bytes.size(), at);
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = ENOSPC;
    if (n <= 0) fail("write");
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    at += n;
  }
}

void AtomicFile::append(std::span<const std::byte> bytes) {
  write(bytes, appended_);
  appended_ += static_cast<std::int64_t>(bytes.size());
}

void AtomicFile::commit() {
  flush();
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("write");
  moved_ = true;
  sync();
}

// link() refuses to replace an existing file; rename() would replace it.
void AtomicFile::commit_unless_there() {
  flush();
  if (::link(temporary_.c_str(), path_.c_str()) != 0 && errno != EEXIST) fail("write");
  sync();
}

void AtomicFile::flush() {
  if (::fsync(descriptor_) != 0) fail("write");
  if (::close(std::exchange(descriptor_, -1)) != 0) fail("write");
}

void AtomicFile::sync() const {
  sync_folder(path_.has_parent_path() ? path_.parent_path() : fs::path("."), failure_);
}

void AtomicFile::fail(const char* verb) const { throw failure_(verb, path_, errno); }

}  // namespace scalemark
