#include "apps/scalemark/intercepted_calls.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "core/launch/outcome.h"

namespace scalemark::cli {
namespace {

// The report may wait for a lock that the calling thread holds: after this time the process ends.
constexpr unsigned kFatalReportSeconds = 6;

void end_at_once(int) { _exit(static_cast<int>(ExitCode::kSystem)); }

// The report may need a thread itself; where that is refused, too, it is not reported again.
void report_shortage() noexcept {
  static std::atomic<pid_t> reporting_thread{0};
  pid_t nobody = 0;
  if (!reporting_thread.compare_exchange_strong(nobody, gettid())) {
    while (nobody != gettid() && reporting_thread != 0) sleep(1);  // the process is about to end
    return;
  }
  if (const OnThreadShortage* hook = on_thread_shortage()) {
    struct sigaction ending {
    }, before{};
    ending.sa_handler = end_at_once;
    sigaction(SIGALRM, &ending, &before);
    const unsigned backstop = alarm(kFatalReportSeconds);  // a stop under way may have set an alarm
    try {
      (*hook)(thread_shortage().record());
    } catch (...) {
    }
    sigaction(SIGALRM, &before, nullptr);
    alarm(backstop);
  }
  reporting_thread = 0;
}

using EndReporter = ExitCode (*)(const ErrorRecord&);

std::atomic<EndReporter> end_reporter{nullptr};
std::atomic<pid_t> watched{0};  // the process whose end is judged: this one, not a child of fork()

[[noreturn]] void end_now(int code) {
  while (true) syscall(SYS_exit_group, code);
}

// Returns if the process may end with `code`; otherwise ends it with a code of ours.
void judge(int code) {
  static std::atomic<pid_t> ending{0};
  const bool is_fault = code > static_cast<int>(ExitCode::kUnsure) && launching::is_exit_code(code);
  const EndReporter reporter = end_reporter;
  if (is_fault || reporter == nullptr || watched != ::getpid()) return;
  pid_t nobody = 0;
  if (ending.compare_exchange_strong(nobody, gettid())) {
    end_now(static_cast<int>(reporter(launching::ended_by_library(code).record())));
  }
  while (nobody != gettid()) pause();  // another thread is about to end the process
  end_now(static_cast<int>(ExitCode::kSystem));
}

// Is called for ends within glibc, such as error(3)'s, which call none of the functions below.
void at_exit(int code, void*) { judge(code); }

template <class Function>
Function libc(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

ThreadShortageHook& on_thread_shortage() {
  static ThreadShortageHook hook{nullptr};
  return hook;
}

void watch_process_end(ExitCode (*report)(const ErrorRecord&)) {
  watched = ::getpid();
  end_reporter = report;
  ::on_exit(at_exit, nullptr);
}

void ending_is_ours() { end_reporter = nullptr; }

}  // namespace scalemark::cli

extern "C" {

__attribute__((visibility("default"))) int pthread_create(pthread_t* thread,
                                                          const pthread_attr_t* attributes,
                                                          void* (*body)(void*),
                                                          void* argument) noexcept {
  static const auto create = scalemark::cli::libc<decltype(&pthread_create)>("pthread_create");
  const int failure = create(thread, attributes, body, argument);
  if (failure == EAGAIN) scalemark::cli::report_shortage();
  return failure;
}

// These functions judge the code before any destructor runs, since other threads may use what it
// would destroy. std::_Exit() is not among them: ranks end by it with a verdict of ours.
[[noreturn]] __attribute__((visibility("default"))) void exit(int code) noexcept {
  scalemark::cli::judge(code);
  scalemark::cli::libc<void (*)(int)>("exit")(code);
  scalemark::cli::end_now(code);
}

[[noreturn]] __attribute__((visibility("default"))) void quick_exit(int code) noexcept {
  scalemark::cli::judge(code);
  scalemark::cli::libc<void (*)(int)>("quick_exit")(code);
  scalemark::cli::end_now(code);
}

[[noreturn]] __attribute__((visibility("default"))) void _exit(int code) {
  scalemark::cli::judge(code);
  scalemark::cli::end_now(code);
}

}  // extern "C"
