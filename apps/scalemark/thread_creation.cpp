#include "apps/scalemark/thread_creation.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>

namespace scalemark::cli {
namespace {

// The last words may wait for a lock that the thread holds which asked.
constexpr unsigned kLastWordsSeconds = 6;

void end_at_once(int) { _exit(static_cast<int>(ExitCode::kSystem)); }

// Telling of it may need a thread as well, which is refused the ordinary way.
void tell() noexcept {
  static std::atomic<pid_t> telling{0};
  pid_t nobody = 0;
  if (!telling.compare_exchange_strong(nobody, gettid())) {
    while (nobody != gettid() && telling != 0) sleep(1);  // the process is about to end
    return;
  }
  if (const OnThreadShortage* hook = on_thread_shortage()) {
    struct sigaction ending {
    }, before{};
    ending.sa_handler = end_at_once;
    sigaction(SIGALRM, &ending, &before);
    const unsigned backstop = alarm(kLastWordsSeconds);  // of a stop that is under way
    try {
      (*hook)(thread_shortage().record());
    } catch (...) {
    }
    sigaction(SIGALRM, &before, nullptr);
    alarm(backstop);
  }
  telling = 0;
}

}  // namespace

ThreadShortageHook& on_thread_shortage() {
  static ThreadShortageHook hook{nullptr};
  return hook;
}

}  // namespace scalemark::cli

// The program comes before all libraries where the linker looks for a name (ld.so(8)).
extern "C" __attribute__((visibility("default"))) int pthread_create(
    pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
    void* argument) noexcept {
  static const auto create =
      reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  const int failure = create(thread, attributes, body, argument);
  if (failure == EAGAIN) scalemark::cli::tell();
  return failure;
}
