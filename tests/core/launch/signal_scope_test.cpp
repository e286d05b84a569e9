#include "core/launch/signal_scope.h"

#include <gtest/gtest.h>

#include <csignal>
#include <optional>
#include <vector>

namespace scalemark::launching {
namespace {

TEST(SignalScope, ReturnsTheFirstSignalThatAsksToEnd) {
  struct Case {
    std::vector<int> raised;
    std::optional<int> interrupt;
  };
  for (const Case& one : std::vector<Case>{{{}, {}},
                                           {{SIGTERM}, SIGTERM},
                                           {{SIGINT}, SIGINT},
                                           {{SIGUSR1}, SIGUSR1},
                                           {{SIGHUP}, SIGTERM},
                                           {{SIGCHLD}, {}},
                                           {{SIGCHLD, SIGTERM}, SIGTERM}}) {
    // A signal that a test was started with ignored would stay ignored.
    for (const int signal : one.raised) std::signal(signal, SIG_DFL);
    SignalScope scope;
    for (const int signal : one.raised) raise(signal);
    EXPECT_EQ(scope.take_interrupt(), one.interrupt);
    EXPECT_EQ(scope.take_interrupt(), std::nullopt) << "taken once";
  }
}

TEST(SignalScope, WhatArrivesIsDroppedAtItsEnd) {
  std::signal(SIGTERM, SIG_DFL);
  {
    const SignalScope scope;
    raise(SIGTERM);
  }
  SUCCEED() << "the signal would have ended this process";
}

}  // namespace
}  // namespace scalemark::launching
