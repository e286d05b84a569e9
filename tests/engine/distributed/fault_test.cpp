#include <gtest/gtest.h>

#include <cstdio>

#include "tests/engine/distributed/ranks.h"

namespace scalemark::testing {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kFaultLimit{180000};
// A rank waits so long in a collective for one that is gone.
constexpr const char* kLongTimeout = "timeout_ms=200000";

struct Place {
  const char* name;
  std::string (*make)();
};

class Fault : public ::testing::TestWithParam<Place> {};

TEST_P(Fault, AKilledRankIsALostPeerBeforeTheTimeout) {
  for (const int culprit : {0, 1}) {
    Ranks ranks(scenario("train_until", 2, GetParam().make(),
                         {kLongTimeout, std::to_string(culprit), "kill"}));
    const auto ended = ranks.wait(kFaultLimit);
    const Ended& survivor = ended[static_cast<std::size_t>(1 - culprit)];
    EXPECT_EQ(ended[static_cast<std::size_t>(culprit)].exit_code, 128 + 9);
    EXPECT_EQ(survivor.exit_code, 69) << survivor.output;  // 141 would be SIGPIPE
    EXPECT_NE(survivor.output.find("E_PEER_LOST (exit 69) rank="), std::string::npos)
        << survivor.output;
  }
}

INSTANTIATE_TEST_SUITE_P(Places, Fault,
                         ::testing::Values(Place{"Tcp", free_address},
                                           Place{"File", fresh_file_place}),
                         [](const auto& named) { return named.param.name; });

struct Resources {
  int threads = 0, descriptors = 0, keys = 0;
};

Resources resources_after(const std::string& output, const std::string& label) {
  Resources seen;
  const auto at = output.find(label);
  if (at == std::string::npos ||
      std::sscanf(output.c_str() + at + label.size(), "%d threads, %d descriptors, %d keys",
                  &seen.threads, &seen.descriptors, &seen.keys) != 3) {
    ADD_FAILURE() << "no line " << label << " in: " << output;
  }
  return seen;
}

// A leak would be one thread, one descriptor or one key per group at least; what is still closing
// when the figures are read is two or three.
void expect_flat(const std::string& place, int groups) {
  Ranks ranks(scenario("many_groups", 2, place, {std::to_string(groups)}));
  for (const Ended& rank : ranks.wait(kFaultLimit)) {
    EXPECT_EQ(rank.exit_code, 0) << rank.output;
    const Resources before = resources_after(rank.output, "before: ");
    const Resources after = resources_after(rank.output, "after: ");
    EXPECT_NEAR(before.threads, after.threads, 3) << rank.output;
    EXPECT_NEAR(before.descriptors, after.descriptors, 3) << rank.output;
    EXPECT_NEAR(before.keys, after.keys, 3) << rank.output;
  }
}

TEST(Groups, HundredLeaveNothingBehind) { expect_flat(free_address(), 100); }
TEST(Groups, TwentyLeaveNothingBehindInAFile) { expect_flat(fresh_file_place(), 20); }

}  // namespace
}  // namespace scalemark::testing
