#include <gtest/gtest.h>

#include "core/collectives/collective.h"

namespace scalemark::collectives {
namespace {

using enum Collective;

TEST(MeasuredElements, SharesAreRoundedDownTo16BytesAsInNcclTests) {
  EXPECT_EQ(measured_elements(kAllGather, 256, DataType::kFp32, 2), 256);
  EXPECT_EQ(measured_elements(kAllGather, 256, DataType::kFp32, 3), 252);  // 85 -> 84 each
  EXPECT_EQ(measured_elements(kReduceScatter, 512, DataType::kBf16, 3), 504);
  EXPECT_EQ(measured_elements(kAllToAll, 1000, DataType::kInt32, 7), 7 * 140);
  EXPECT_EQ(measured_elements(kGather, 9, DataType::kFp32, 2), 8);
}

TEST(MeasuredElements, BelowThatToWholeElements) {
  EXPECT_EQ(measured_elements(kAllGather, 7, DataType::kFp32, 2), 6);
  EXPECT_EQ(measured_elements(kAllToAll, 5, DataType::kFp16, 5), 5);
  EXPECT_EQ(measured_elements(kAllToAll, 4, DataType::kFp16, 5), std::nullopt);
}

TEST(MeasuredElements, OthersAreLeftAsTheyAre) {
  for (const Collective collective : {kAllReduce, kBroadcast, kReduce, kSendRecv}) {
    EXPECT_EQ(measured_elements(collective, 1023, DataType::kFp32, 7), 1023);
    EXPECT_EQ(measured_elements(collective, 0, DataType::kFp32, 2), std::nullopt);
  }
  EXPECT_EQ(measured_elements(kBarrier, 0, DataType::kFp32, 2), 0);
}

TEST(Buffers, HoldWhatEachRankHas) {
  const auto in = [](Collective collective) { return input_elements({collective, 4, 40}); };
  const auto out = [](Collective collective, int rank) {
    return output_elements({collective, 4, 40}, rank);
  };
  EXPECT_EQ(in(kAllReduce), 40);
  EXPECT_EQ(out(kAllReduce, 3), 40);
  EXPECT_EQ(in(kAllGather), 10);
  EXPECT_EQ(out(kAllGather, 3), 40);
  EXPECT_EQ(in(kReduceScatter), 40);
  EXPECT_EQ(out(kReduceScatter, 3), 10);
  EXPECT_EQ(in(kGather), 10);
  EXPECT_EQ(out(kGather, 0), 40);
  EXPECT_EQ(out(kGather, 1), 0);
  EXPECT_EQ(out(kReduce, 0), 40);
  EXPECT_EQ(out(kReduce, 1), 0);
  EXPECT_EQ(in(kAllToAll), 40);
}

TEST(BufferBytes, OneBufferInPlace) {
  EXPECT_EQ(buffer_bytes({kAllReduce, 4, 40}, DataType::kFp32, true), 160);
  EXPECT_EQ(buffer_bytes({kAllReduce, 4, 40}, DataType::kFp32, false), 320);
  EXPECT_EQ(buffer_bytes({kAllGather, 4, 40}, DataType::kBf16, false), 100);
  EXPECT_EQ(buffer_bytes({kReduceScatter, 4, 40}, DataType::kBf16, true), 80);
}

}  // namespace
}  // namespace scalemark::collectives
