#include "core/reporting/output/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "core/reporting/output/disk.h"
#include "core/reporting/output/journal_lines.h"

namespace scalemark::reporting {
namespace {

namespace fs = std::filesystem;

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

// Absent (-1): the file was removed between opening and locking.
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
  if (empty()) return;  // /dev/full, which is no regular file, cannot be truncated
  if (::ftruncate(locked_.descriptor(), 0) != 0) throw cannot("replace", file_, errno);
}

void Journal::mend() {
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
    // Half a line would be read as damage; when even this fails, the error says enough.
    [[maybe_unused]] const int cut = before < 0 ? -1 : ::ftruncate(locked_.descriptor(), before);
    throw file_failure("write", file_, error);
  }
}

}  // namespace scalemark::reporting
