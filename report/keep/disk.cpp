#include "report/keep/disk.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/strict_json.h"

namespace scalemark::reporting {
namespace {

namespace fs = std::filesystem;

// Returns 0, or errno.
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

JournalLines read_journal_lines(const std::filesystem::path& file) {
  JournalLines journal;
  const std::string text = read_if_there(file).value_or("");

  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::size_t next = std::min(end + 1, text.size());
    std::string line = text.substr(begin, end - begin);
    if (nests_too_deep(line) || !nlohmann::json::accept(line)) {
      if (next < text.size()) {
        throw bad_data(file.string() + " is damaged in line " +
                       std::to_string(journal.lines.size() + 1));
      }
      journal.torn = true;
      break;
    }
    journal.lines.push_back(std::move(line));
    journal.lacks_line_end = journal.torn = end == text.size();
    begin = next;
  }
  journal.whole_bytes = begin;
  return journal;
}

namespace {

Error cannot(const char* verb, const fs::path& file, int error) {
  return cannot_create(std::string("cannot ") + verb + " " + file.string() + ": " +
                       std::strerror(error));
}

bool stands_there(int descriptor, const fs::path& file) {
  struct stat open {
  }, there{};
  return ::fstat(descriptor, &open) == 0 && ::stat(file.c_str(), &there) == 0 &&
         open.st_dev == there.st_dev && open.st_ino == there.st_ino;
}

// Returns -1 when the file was removed between opening and locking.
int open_and_lock(const fs::path& file, int flags) {
  const int descriptor = ::open(file.c_str(), flags | O_CLOEXEC, 0644);
  if (descriptor < 0) throw cannot("create", file, errno);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(descriptor);
    throw cannot_create("another run is writing to " + file.string(), {},
                        "wait for it, or choose another place");
  }
  if (stands_there(descriptor, file)) return descriptor;
  ::close(descriptor);
  return -1;
}

}  // namespace

LockedFile::LockedFile(const fs::path& file, int flags) : descriptor_(-1) {
  constexpr int kTries = 100;
  for (int i = 0; i < kTries && descriptor_ < 0; ++i) descriptor_ = open_and_lock(file, flags);
  if (descriptor_ < 0) throw cannot_create("another process keeps removing " + file.string());
}

LockedFile::~LockedFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Journal::Journal(const fs::path& file)
    : file_(file), locked_(file, O_WRONLY | O_CREAT | O_APPEND) {}

bool Journal::empty() const {
  struct stat now {};
  return ::fstat(locked_.descriptor(), &now) == 0 && now.st_size == 0;
}

void Journal::clear() {
  if (empty()) return;  // /dev/full is no regular file, and cannot be truncated
  if (::ftruncate(locked_.descriptor(), 0) != 0) throw cannot("replace", file_, errno);
}

void Journal::drop_incomplete_line() {
  if (!fs::is_regular_file(file_)) return;
  const JournalLines journal = read_journal_lines(file_);
  if (!journal.torn) return;
  int error = 0;
  if (::ftruncate(locked_.descriptor(), static_cast<off_t>(journal.whole_bytes)) != 0) {
    error = errno;
  } else if (journal.lacks_line_end) {
    error = write_all(locked_.descriptor(), "\n");
  }
  if (error != 0) throw cannot("repair the incomplete last line of", file_, error);
}

void Journal::append(std::string_view line) {
  const off_t before = ::lseek(locked_.descriptor(), 0, SEEK_END);
  if (const int error = write_all(locked_.descriptor(), std::string(line) + "\n")) {
    // Half a line would be read as damage. If even this call fails, the error below is enough.
    [[maybe_unused]] const int cut = before < 0 ? -1 : ::ftruncate(locked_.descriptor(), before);
    throw file_failure("write", file_, error);
  }
}

}  // namespace scalemark::reporting
