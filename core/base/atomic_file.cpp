#include "core/base/atomic_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <optional>
#include <utility>

#include "core/base/number_words.h"

namespace scalemark {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// A name has at most 255 bytes.
fs::path own_temporary(const fs::path& path) {
  constexpr std::size_t kMostOfTheName = 200;
  return path.parent_path() / (path.filename().string().substr(0, kMostOfTheName) + ".tmp-" +
                               std::to_string(::getpid()));
}

fs::path temporary_of(const fs::path& named, const OutputPlace& place, fs::path wanted) {
  return wanted.empty() || place.path != named ? own_temporary(place.path) : std::move(wanted);
}

// The N of /proc/self/fd/N, however that folder is spelled.
std::optional<int> own_descriptor(const fs::path& path) {
  std::error_code unknown;
  const std::string folder = fs::canonical(folder_of(path), unknown).string();
  if (unknown || !folder.starts_with("/proc/") || !folder.ends_with("/fd")) return std::nullopt;
  const std::string own = "/proc/" + fs::read_symlink("/proc/self", unknown).string() + "/";
  if (unknown || !folder.starts_with(own)) return std::nullopt;
  const auto number = whole_number(path.filename().string());
  return number && ::fcntl(*number, F_GETFD) >= 0 ? number : std::nullopt;
}

bool is_stream(mode_t mode) {
  return S_ISCHR(mode) || S_ISBLK(mode) || S_ISFIFO(mode) || S_ISSOCK(mode);
}

// A socket that is connected to `path`, or -1 with errno where nobody listens.
int connect_to(const fs::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.native().size() >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  std::memcpy(address.sun_path, path.c_str(), path.native().size());
  Descriptor made(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto* const named = reinterpret_cast<const sockaddr*>(&address);
  if (!made.open() || ::connect(made.get(), named, sizeof address) != 0) return -1;
  return made.release();
}

int open_stream(const OutputPlace& place) {
  if (place.descriptor >= 0) return ::fcntl(place.descriptor, F_DUPFD_CLOEXEC, 0);
  struct stat there {};
  if (::stat(place.path.c_str(), &there) == 0 && S_ISSOCK(there.st_mode)) {
    return connect_to(place.path);
  }
  return ::open(place.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
}

}  // namespace

OutputPlace output_place(const fs::path& name) {
  constexpr int kMostLinks = 40;  // the kernel follows as many
  OutputPlace place{name};
  for (int i = 0; i < kMostLinks; ++i) {
    if (const auto descriptor = own_descriptor(place.path)) {
      return {.path = place.path, .is_stream = true, .descriptor = *descriptor};
    }
    struct stat there {};
    if (::lstat(place.path.c_str(), &there) != 0) return place;
    place.is_stream = is_stream(there.st_mode);
    if (!S_ISLNK(there.st_mode)) return place;
    std::error_code unknown;
    const fs::path target = place.path.parent_path() / fs::read_symlink(place.path, unknown);
    // Such a link of /proc leads to a file that another process has open, whatever path its text
    // gives.
    const bool of_proc =
        ::lstat(target.c_str(), &there) != 0 && ::stat(place.path.c_str(), &there) == 0;
    if (unknown || of_proc) return {.path = place.path, .is_stream = of_proc};
    place.path = target;
  }
  return place;
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code unknown;
  return fs::equivalent(a, b, unknown) && !unknown;
}

fs::path real_place(const fs::path& path) {
  std::error_code unknown;
  const fs::path whole = fs::weakly_canonical(fs::absolute(path, unknown), unknown);
  const fs::path known = unknown ? path : whole;
  return known.has_filename() ? known : known.parent_path();  // "a/" is "a"
}

bool lies_in(const fs::path& path, const fs::path& folder) {
  const fs::path inner = real_place(path), outer = real_place(folder);
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

int write_whole(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (written < 0 && errno == EAGAIN) {  // a process that shares it made it non-blocking
      pollfd polled{descriptor, POLLOUT, 0};
      ::poll(&polled, 1, -1);
    } else if (written == 0 || errno != EINTR) {
      return written == 0 ? ENOSPC : errno;
    }
  }
  return 0;
}

const char* const kFileSizeHint = "see `ulimit -f`, the largest file that may be written";

Error file_failure(const char* verb, const fs::path& file, int error) {
  std::string what = std::string("cannot ") + verb + " " + file.string() + ": ";
  what += std::strerror(error);
  const bool full = error == ENOSPC || error == EDQUOT;
  const std::string hint = full             ? "free space there, or choose another place"
                           : error == EFBIG ? kFileSizeHint
                                            : "";
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
      place_(output_place(path_)),
      temporary_(temporary_of(path_, place_, std::move(temporary))),
      failure_(failure) {
  if (place_.is_stream) {
    descriptor_ = ::memfd_create("scalemark-output", MFD_CLOEXEC);
    if (descriptor_ < 0) fail("create");
    return;
  }
  if (std::error_code unknown; fs::is_symlink(place_.path, unknown)) {
    errno = ELOOP;
    fail("create");
  }
  // A killed run may have left the file, or it may be a link to a file of the user's.
  ::unlink(temporary_.c_str());
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw failure_("create", temporary_, errno);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!moved_ && !place_.is_stream) ::unlink(temporary_.c_str());
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
  if (place_.is_stream) return pour();
  flush();
  if (::rename(temporary_.c_str(), place_.path.c_str()) != 0) fail("write");
  moved_ = true;
  sync();
}

// link() refuses to replace an existing file; rename() would replace it.
void AtomicFile::commit_unless_there() {
  if (place_.is_stream) return pour();
  flush();
  if (::link(temporary_.c_str(), place_.path.c_str()) != 0 && errno != EEXIST) fail("write");
  sync();
}

void AtomicFile::pour() {
  const Descriptor stream(open_stream(place_));
  if (!stream.open()) fail("write");
  std::array<char, 1 << 16> buffer;
  for (off_t at = 0;;) {
    const ssize_t got = ::pread(descriptor_, buffer.data(), buffer.size(), at);
    if (got < 0) fail("write");
    if (got == 0) return;
    errno = write_whole(stream.get(), {buffer.data(), static_cast<std::size_t>(got)});
    // It is a result on stdout, where a reader that has gone (`| head`) has what it wanted.
    if (errno == EPIPE && place_.descriptor == STDOUT_FILENO) return;
    if (errno != 0) fail("write");
    at += got;
  }
}

void AtomicFile::flush() {
  if (::fsync(descriptor_) != 0) fail("write");
  if (::close(std::exchange(descriptor_, -1)) != 0) fail("write");
}

void AtomicFile::sync() const { sync_folder(folder_of(place_.path), failure_); }

void AtomicFile::fail(const char* verb) const { throw failure_(verb, path_, errno); }

void write_to_stdout(std::string_view text) {
  std::cout << std::flush;
  const int error = write_whole(STDOUT_FILENO, text);
  if (error != 0 && error != EPIPE) throw file_failure("write the result to", "stdout", error);
}

}  // namespace scalemark
