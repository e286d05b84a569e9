// While it lives, the signals that a launcher acts on arrive through a descriptor instead of
// interrupting. Restores everything on destruction.
#pragma once

#include <csignal>
#include <optional>
#include <vector>

#include "core/launching/child_process.h"

namespace scalemark::launching {

class SignalScope {
 public:
  SignalScope();  // throws Error (71)
  ~SignalScope();
  SignalScope(const SignalScope&) = delete;
  SignalScope& operator=(const SignalScope&) = delete;

  int fd() const { return fd_.get(); }
  std::vector<int> take();  // the signals that have arrived since, in order
  // Of these, the first that asks to end: SIGTERM (SIGHUP too), SIGINT or SIGUSR1.
  std::optional<int> take_interrupt();

 private:
  Descriptor fd_;
  sigset_t before_{};
  struct sigaction child_before_ {};
};

}  // namespace scalemark::launching
