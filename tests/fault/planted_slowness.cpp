// A rank whose parts are slow, without a hook in the program. Preloaded, it takes the place of
// calls that the rank makes. Each variable is "LOCAL_RANK:VALUE", or "all:VALUE".
//   SLOW_READS     "MS:FOLDER": the open of a file below the folder takes MS milliseconds more
//   BURNS_CPU      the main thread computes VALUE times its CPU time more, in a signal handler
//   MAPPED_READS   "PAGES:FILE": before each product of the main thread it reads PAGES pages of the
//   file, at random places of a mapping MEMORY_GROUP   the file cgroup.procs of the control group
//   that the rank begins in
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "tests/fault/local_rank.h"

namespace {

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

// Returns what `variable` says of this rank; empty: nothing.
std::string planted(const char* variable) {
  const char* wanted = std::getenv(variable);
  const std::string_view text = wanted ? wanted : "";
  const auto colon = text.find(':');
  const std::string own = scalemark::fault::local_rank();
  if (colon == text.npos || own.empty()) return "";
  const auto rank = text.substr(0, colon);
  return rank == own || rank == "all" ? std::string(text.substr(colon + 1)) : "";
}

// Parts "NUMBER:TEXT".
std::pair<double, std::string> number_and_text(const std::string& value) {
  const auto colon = value.find(':');
  if (colon == value.npos) return {0, ""};
  return {std::atof(value.c_str()), value.substr(colon + 1)};
}

double thread_cpu_s() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void compute_for(double seconds) {
  for (const double end = thread_cpu_s() + seconds; thread_cpu_s() < end;) {
  }
}

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "planted_slowness: %s\n", why.c_str());
  std::abort();
}

// Reads of a file that is larger than the memory: each is likely to come from the disk.
class Mapping {
 public:
  explicit Mapping(const std::string& value) {
    const auto [pages, file] = number_and_text(value);
    if (file.empty()) return;
    const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat info {};
    if (fd < 0 || ::fstat(fd, &info) != 0) give_up("cannot open " + file);
    const auto bytes = static_cast<std::size_t>(info.st_size);
    void* at = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED) give_up("cannot map " + file);
    ::madvise(at, bytes, MADV_RANDOM);
    ::close(fd);
    begin_ = static_cast<const volatile char*>(at);
    places_ = std::uniform_int_distribution<std::size_t>(0, bytes / kPage - 1);
    pages_ = static_cast<int>(pages);
  }

  void read() {
    for (int page = 0; page < pages_; ++page) {
      [[maybe_unused]] const char byte = begin_[kPage * places_(random_)];
    }
  }

 private:
  static constexpr std::size_t kPage = 4096;
  const volatile char* begin_ = nullptr;
  int pages_ = 0;
  std::minstd_rand random_{1};
  std::uniform_int_distribution<std::size_t> places_;
};

double burnt_s = 0;

extern "C" void burn(int) { compute_for(burnt_s); }

// The kernel counts the CPU time of the main thread, the handler's included, and interrupts it.
void burn_beside(double factor) {
  constexpr double kOwn_s = 0.02;
  burnt_s = factor * kOwn_s;
  struct sigaction action {};
  action.sa_handler = burn;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGVTALRM, &action, nullptr);
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGVTALRM;
  event._sigev_un._tid = ::gettid();
  timer_t timer{};
  if (::timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) != 0) give_up("no timer");
  itimerspec every{};
  every.it_interval.tv_nsec = static_cast<long>(1e9 * (kOwn_s + burnt_s));
  every.it_value = every.it_interval;
  ::timer_settime(timer, 0, &every, nullptr);
}

struct Planted {
  double read_ms = 0;
  std::string read_below;
  Mapping mapping{planted("MAPPED_READS")};

  Planted() {
    std::tie(read_ms, read_below) = number_and_text(planted("SLOW_READS"));
    if (const std::string group = planted("MEMORY_GROUP"); !group.empty()) join(group);
    if (const std::string factor = planted("BURNS_CPU"); !factor.empty())
      burn_beside(std::atof(factor.c_str()));
  }

  static void join(const std::string& group) {
    std::FILE* file = std::fopen(group.c_str(), "w");
    const bool joined = file != nullptr && std::fprintf(file, "%d\n", ::getpid()) > 0;
    if (file == nullptr || std::fclose(file) != 0 || !joined) give_up("cannot join " + group);
  }
};

Planted* made = nullptr;

// Runs in the main thread, before main(). Opens of the constructor itself are not slow.
__attribute__((constructor)) void make() {
  static Planted here;
  made = &here;
}

int slow_open(const char* name, const char* path, int flags, mode_t mode) {
  const bool is_below = made != nullptr && !made->read_below.empty() && path != nullptr &&
                        std::strncmp(path, made->read_below.c_str(), made->read_below.size()) == 0;
  if (is_below) ::usleep(static_cast<useconds_t>(1000 * made->read_ms));
  return next<int (*)(const char*, int, ...)>(name)(path, flags, mode);
}

mode_t mode_in(int flags, va_list arguments) {
  return (flags & O_CREAT) != 0 ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_in(flags, arguments);
  va_end(arguments);
  return slow_open("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_in(flags, arguments);
  va_end(arguments);
  return slow_open("open64", path, flags, mode);
}

// Fortran's matrix product, by which torch multiplies floats on a CPU. The engine loads torch, so
// that it is not among the libraries behind this one.
void sgemm_(const char* ta, const char* tb, const int* m, const int* n, const int* k,
            const float* alpha, const float* a, const int* lda, const float* b, const int* ldb,
            const float* beta, float* c, const int* ldc) {
  using Product = void (*)(const char*, const char*, const int*, const int*, const int*,
                           const float*, const float*, const int*, const float*, const int*,
                           const float*, float*, const int*);
  static const auto product = reinterpret_cast<Product>(
      ::dlsym(::dlopen("libtorch_cpu.so", RTLD_NOLOAD | RTLD_LAZY), "sgemm_"));
  const bool is_main = ::getpid() == ::gettid();
  if (made != nullptr && is_main) made->mapping.read();
  product(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
}
