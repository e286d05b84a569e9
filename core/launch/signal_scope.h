// The signals that a launcher acts on.
#pragma once

#include <csignal>
#include <initializer_list>
#include <optional>
#include <vector>

#include "core/base/atomic_file.h"

namespace scalemark::launching {

// While it exists, the signals that a launcher acts on arrive through a descriptor instead of
// interrupting; those that were ignored before stay ignored. Restores everything on destruction.
class SignalScope {
 public:
  // `further` signals arrive beside those. Throws Error (71).
  explicit SignalScope(std::initializer_list<int> further = {});
  ~SignalScope();
  SignalScope(const SignalScope&) = delete;
  SignalScope& operator=(const SignalScope&) = delete;

  int fd() const { return fd_.get(); }
  std::vector<int> take();  // the signals that have arrived since the last call, in order
  // Takes the first that asks to end: SIGTERM (SIGHUP too), SIGINT or SIGUSR1.
  // A SIGTSTP among them stops this process first.
  std::optional<int> take_interrupt();

  // Stops this process as Ctrl-Z would; returns when it continues. Where the shell has no job
  // control the kernel does not stop it.
  void stop_self();

 private:
  Descriptor fd_;
  sigset_t before_{};
  struct sigaction child_before_ {};
};

}  // namespace scalemark::launching
