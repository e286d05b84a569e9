#include "engine/comm/timing.h"

#include <gtest/gtest.h>

#include <chrono>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "tests/engine/distributed/simulated_clock.h"

namespace scalemark::communicating {
namespace {

struct Stopped {};

// A stopped run has 9 s, and a row of calls that take a second has twenty of them.
TEST(CollectiveTiming, ChecksForAStopAfterEachCallThatTakesLong) {
  const c10::intrusive_ptr<c10d::Store> store = c10::make_intrusive<c10d::HashStore>();
  distributed::ErrorStore errors(store, 0, 1, false);
  distributed::ControlGroup control(store, 0, 1, std::chrono::seconds(5), "", errors);
  constexpr int kIntoEachPart = 16;  // calls: warm-up, loop, trial, and two by themselves
  int calls = 0, checked = 0;
  testing::SimulatedClock clock;
  const Call slow{.start =
                      [&] {
                        ++calls;
                        clock.skip(std::chrono::milliseconds(205));
                      },
                  .finish = [] {}};
  const Call barrier{.start = [] {}, .finish = [] {}};
  const auto check_stop = [&] {
    EXPECT_LE(calls - checked, 1);
    checked = calls;
    if (calls == kIntoEachPart) throw Stopped();
  };
  EXPECT_THROW(time_call(slow, barrier, control, check_stop, clock), Stopped);
  EXPECT_EQ(calls, kIntoEachPart);
}

}  // namespace
}  // namespace scalemark::communicating
