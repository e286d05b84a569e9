#include "engine/train/epochs.h"

#include <gtest/gtest.h>

namespace scalemark::running {
namespace {

EpochTrainingOptions options_of(int world_size, std::int64_t batch_size, bool drop_last,
                                std::int64_t micro_steps = 1) {
  EpochTrainingOptions options;
  options.micro_steps = micro_steps;
  options.sampling.ranks.world_size = world_size;
  options.sampling.drop_last = drop_last;
  options.sampling.loader.batch_size = batch_size;
  return options;
}

TEST(SamplesLeftOut, AreThoseThatFillNoBatch) {
  EXPECT_EQ(samples_left_out(10, options_of(1, 5, false)), 0);
  EXPECT_EQ(samples_left_out(10, options_of(1, 4, false)), 2);
  EXPECT_EQ(samples_left_out(10, options_of(2, 2, false)), 2);     // 2 steps of 2 x 2
  EXPECT_EQ(samples_left_out(10, options_of(1, 2, false, 2)), 2);  // 2 steps of 2 micro-batches
}

TEST(SamplesLeftOut, RepeatedSamplesAreNotCounted) {
  EXPECT_EQ(samples_left_out(7, options_of(2, 4, false)), 0);  // one is repeated
  EXPECT_EQ(samples_left_out(9, options_of(2, 2, false)), 1);  // the repeated one is in the tail
  EXPECT_EQ(samples_left_out(7, options_of(2, 3, true)), 1);   // --drop-last: does not divide
}

}  // namespace
}  // namespace scalemark::running
