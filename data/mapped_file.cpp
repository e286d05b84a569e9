#include "data/mapped_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <mutex>
#include <span>
#include <string>

#include "core/base/error.h"
#include "core/base/threads.h"

namespace scalemark::data {
namespace {

// A signal handler gets no argument of ours, so its data are static; it reads only atomics.
struct Guarded {
  std::atomic<const char*> name{nullptr};  // null: the entry is free
  std::atomic<std::uintptr_t> begin{0}, end{0};
};
constexpr std::size_t kPlaces = 256;
constexpr std::size_t kNowhere = kPlaces;

struct State {
  std::array<Guarded, kPlaces> places;
  std::atomic<const char*> lost{nullptr};
  int wake[2] = {-1, -1};  // a pipe, to which a handler may write
  std::mutex mutex;        // guards the members below
  std::size_t in_use = 0;
  bool watched = false;
  struct sigaction before = {};
  std::function<void(const ErrorRecord&)> act;
};

// It is never destroyed, since the side thread may outlive main().
State& state() {
  static State* const only = new State;
  return *only;
}

void on_sigbus(int, siginfo_t* info, void*) {
  State& s = state();  // it was constructed before this handler was installed
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (Guarded& place : s.places) {
    const char* name = place.name.load();
    if (name == nullptr || address < place.begin || address >= place.end) continue;
    const char* none = nullptr;
    if (s.lost.compare_exchange_strong(none, name) && ::write(s.wake[1], "", 1) < 0) {
      ::_exit(static_cast<int>(ExitCode::kIo));
    }
    while (true) ::pause();
  }
  // The fault is not ours, so the earlier handler gets the signal again.
  ::sigaction(SIGBUS, &s.before, nullptr);
  if (info->si_code <= 0) ::raise(SIGBUS);  // a process has sent it, so no instruction repeats it
}

Error lost(const char* name) {
  return io_error(
      std::string(name) + " can no longer be read: it was cut or overwritten, or its disk fails",
      "a file that does not change during the run", "write a new one beside it and rename it");
}

void watch() {
  State& s = state();
  char byte = 0;
  while (::read(s.wake[0], &byte, 1) < 0 && errno == EINTR) continue;
  const ErrorRecord record = lost(s.lost.load()).record();
  std::function<void(const ErrorRecord&)> act;
  {
    const std::lock_guard lock(s.mutex);
    act = s.act;
  }
  if (act) {
    act(record);
  } else {
    std::fprintf(stderr, "%s\n", format_error_line(record).c_str());
  }
  ::_exit(static_cast<int>(record.exit_code));
}

void start_watching(State& s) {
  if (s.watched) return;
  if (::pipe2(s.wake, O_CLOEXEC) != 0) {
    throw system_error(std::string("making a pipe: ") + std::strerror(errno), {},
                       "see `ulimit -n`");
  }
  s.watched = true;
  quiet_thread(watch).detach();
}

void install_handler(State& s) {
  struct sigaction action = {};
  action.sa_sigaction = on_sigbus;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, &s.before);
}

// From now on a SIGBUS inside `bytes` means a lost file. `name` must outlive the guard.
std::size_t guard_mapping(std::span<const std::byte> bytes, const char* name) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  start_watching(s);
  for (std::size_t i = 0; i < kPlaces; ++i) {
    if (s.places[i].name.load() != nullptr) continue;
    if (s.in_use++ == 0) install_handler(s);
    const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
    s.places[i].begin = begin;
    s.places[i].end = begin + bytes.size();
    s.places[i].name = name;
    return i;
  }
  return kNowhere;  // there are too many files at once, so this one is not guarded
}

void end_guard(std::size_t guard) {
  if (guard == kNowhere) return;
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.places[guard].name = nullptr;
  if (--s.in_use == 0) ::sigaction(SIGBUS, &s.before, nullptr);
}

std::int64_t modified_ns(const struct stat& info) {
  return std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path, const std::string& what)
    : name_(what + " " + path.string()) {
  const auto failed = [this](const char* doing) {
    const int error = errno;
    if (descriptor_ >= 0) ::close(descriptor_);
    const std::string text = std::string(doing) + " " + name_ + ": " + std::strerror(error);
    return error == ENOENT ? no_input(text) : io_error(text);
  };
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) throw failed("opening");
  struct stat info = {};
  if (::fstat(descriptor_, &info) != 0) throw failed("looking at");
  const auto bytes = static_cast<std::size_t>(info.st_size);
  if (bytes == 0) {
    ::close(descriptor_);
    throw bad_data(name_ + ": it is empty");
  }
  void* const address = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor_, 0);
  if (address == MAP_FAILED) throw failed("mapping");
  bytes_ = {static_cast<const std::byte*>(address), bytes};
  modified_ns_ = modified_ns(info);
  guard_ = guard_mapping(bytes_, name_.c_str());
}

MappedFile::~MappedFile() {
  end_guard(guard_);
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  ::close(descriptor_);
}

void MappedFile::refuse_if_changed() const {
  struct stat info = {};
  if (::fstat(descriptor_, &info) != 0) {
    throw io_error("looking at " + name_ + ": " + std::strerror(errno));
  }
  if (static_cast<std::size_t>(info.st_size) == bytes_.size() &&
      modified_ns(info) == modified_ns_) {
    return;
  }
  throw io_error(name_ + " was changed while it was in use",
                 "a file that does not change during the run",
                 "write a new one beside it and rename it");
}

void on_lost_mapping(std::function<void(const ErrorRecord&)> act) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.act = std::move(act);
}

}  // namespace scalemark::data
