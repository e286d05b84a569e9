#include "core/base/durations.h"

#include <gtest/gtest.h>

namespace scalemark {
namespace {

using std::chrono::milliseconds;

TEST(MillisecondsOf, KeepsWhatAClockCanHold) {
  EXPECT_EQ(milliseconds_of(1.5), milliseconds(1500));
  EXPECT_EQ(milliseconds_of(300), milliseconds(300'000));
}

// Zero would mean "for ever", and a time point that overflows would be one of the past.
TEST(MillisecondsOf, NeitherVanishesNorOverflows) {
  EXPECT_EQ(milliseconds_of(0.0004), milliseconds(1));
  for (const double seconds : {1e10, 9.3e9, 1e17, 1e300}) {
    EXPECT_EQ(milliseconds_of(seconds), milliseconds(2'000'000'000)) << seconds;
    EXPECT_GT(std::chrono::steady_clock::now() + 2 * milliseconds_of(seconds),
              std::chrono::steady_clock::now());
  }
}

}  // namespace
}  // namespace scalemark
