// LD_PRELOAD: a file system that fails or is slow, for the files below one folder. A test that runs
// as root gets no EACCES and has no broken disk; this is as near as it comes without either.
//   FAILING_BELOW    the folder
//   FAILING_CONTROL  a file: while it holds "open N" or "read N", these calls fail with errno N;
//   with
//                    N = -1 they never return
//   FAILING_RANK     only in this rank of the machine
//   SLOW_MS          each directory entry and each stat takes so long
//   SCANS_LOG        processes that list directories below the folder write their id there, once
//   STATS_LOG        and here for each stat of a path below the folder
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/fault/local_rank.h"

namespace {

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

using OpenCall = int (*)(const char*, int, ...);
using ReadCall = ssize_t (*)(int, void*, size_t);

int real_open(const char* path, int flags, mode_t mode) {
  static const auto call = next<OpenCall>("open");
  return call(path, flags, mode);
}
ssize_t real_read(int fd, void* to, size_t bytes) {
  static const auto call = next<ReadCall>("read");
  return call(fd, to, bytes);
}

bool below(const char* path) {
  static const char* const folder = std::getenv("FAILING_BELOW");
  return folder != nullptr && path != nullptr &&
         std::strncmp(path, folder, std::strlen(folder)) == 0;
}

bool below(int fd) {
  char path[4096];
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  const ssize_t length = ::readlink(link.c_str(), path, sizeof path - 1);
  if (length < 0) return false;
  path[length] = '\0';
  return below(path);
}

// The errno with which `what` is to fail now; 0: it is not.
int failure_of(const char* what) {
  static const char* const control = std::getenv("FAILING_CONTROL");
  if (control == nullptr) return 0;
  const int fd = real_open(control, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return 0;
  char text[32] = {};
  const ssize_t got = real_read(fd, text, sizeof text - 1);
  ::close(fd);
  char word[16];
  int number = 0;
  if (got <= 0 || std::sscanf(text, "%15s %d", word, &number) != 2) return 0;
  static const char* const rank = std::getenv("FAILING_RANK");
  static const bool is_here = rank == nullptr || scalemark::fault::local_rank() == rank;
  if (std::strcmp(word, what) != 0 || !is_here) return 0;
  while (number == -1) ::pause();
  return number;
}

void be_slow() {
  static const char* const milliseconds = std::getenv("SLOW_MS");
  if (milliseconds != nullptr) ::usleep(static_cast<useconds_t>(1000 * std::atoi(milliseconds)));
}

void write_id(const char* log) {
  const int fd = real_open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const std::string line = std::to_string(::getpid()) + "\n";
  if (::write(fd, line.data(), line.size()) < 0) std::abort();
  ::close(fd);
}

void log_scan() {
  static std::atomic<bool> logged{false};
  const char* const log = std::getenv("SCANS_LOG");
  if (log != nullptr && !logged.exchange(true)) write_id(log);
}

void note_stat(const char* path) {
  if (!below(path)) return;
  if (const char* const log = std::getenv("STATS_LOG")) write_id(log);
  be_slow();
}

int opened(const char* path, int flags, mode_t mode) {
  if (below(path)) {
    if (const int error = failure_of("open")) {
      errno = error;
      return -1;
    }
  }
  return real_open(path, flags, mode);
}

mode_t mode_in(int flags, va_list arguments) {
  return (flags & O_CREAT) != 0 ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
}

template <class Entry>
Entry* entry_of(const char* name, DIR* folder) {
  if (below(::dirfd(folder))) {
    log_scan();
    be_slow();
  }
  return next<Entry* (*)(DIR*)>(name)(folder);
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_in(flags, arguments);
  va_end(arguments);
  return opened(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_in(flags, arguments);
  va_end(arguments);
  return opened(path, flags, mode);
}

ssize_t read(int fd, void* to, size_t bytes) {
  if (const int error = below(fd) ? failure_of("read") : 0) {
    errno = error;
    return -1;
  }
  return real_read(fd, to, bytes);
}

struct dirent* readdir(DIR* folder) {
  return entry_of<struct dirent>("readdir", folder);
}
struct dirent64* readdir64(DIR* folder) {
  return entry_of<struct dirent64>("readdir64", folder);
}

int stat(const char* path, struct stat* info) {
  note_stat(path);
  return next<int (*)(const char*, struct stat*)>("stat")(path, info);
}
int stat64(const char* path, struct stat64* info) {
  note_stat(path);
  return next<int (*)(const char*, struct stat64*)>("stat64")(path, info);
}
}
