#include "core/prediction/published_tests.h"

#include <gtest/gtest.h>

#include <vector>

namespace scalemark::prediction {
namespace {

const std::vector<PublishedTest> kPlanted = {
    {.new_link_level = false, .doublings = 1, .largest_world_size = 64},
    {.new_link_level = false, .doublings = 2, .largest_world_size = 32},
    {.new_link_level = true, .doublings = 1, .largest_world_size = 16}};

TEST(PublishedTests, AReachFindsItsClass) {
  EXPECT_EQ(test_of(kPlanted, {false, 1, 16}), &kPlanted[0]);
  EXPECT_EQ(test_of(kPlanted, {false, 0.2, 16}), &kPlanted[0]);
  EXPECT_EQ(test_of(kPlanted, {false, 1.1, 16}), &kPlanted[1]);
  EXPECT_EQ(test_of(kPlanted, {true, 1, 16}), &kPlanted[2]);
}

TEST(PublishedTests, WhatNoSeriesTriedIsNotTestable) {
  EXPECT_EQ(test_of(kPlanted, {false, 1, 65}), nullptr);    // so many ranks
  EXPECT_EQ(test_of(kPlanted, {false, 2.1, 32}), nullptr);  // so far beyond
  EXPECT_EQ(test_of(kPlanted, {true, 2, 16}), nullptr);     // over a new kind of link
  EXPECT_EQ(test_of(kPlanted, {false, 0, 8}), nullptr);     // not beyond at all
  EXPECT_EQ(test_of(kPlanted, {false, -1, 4}), nullptr);
}

TEST(PublishedTests, TheModelMustBeBetterByMoreThanSourcesDiffer) {
  EXPECT_EQ(better_predictor({.difference_low = -0.02, .difference_high = -0.001}),
            Predictor::kModel);
  EXPECT_EQ(better_predictor({.difference_low = -0.02, .difference_high = 0.001}),
            Predictor::kRule);
  EXPECT_EQ(better_predictor({.difference_low = 0.01, .difference_high = 0.02}), Predictor::kRule);
}

TEST(PublishedTests, NoneOfThoseInTheProgramStandsOnTooLittle) {
  ASSERT_FALSE(published_tests().empty());
  for (const PublishedTest& test : published_tests()) {
    EXPECT_GE(test.series, kFewestSeries);
    EXPECT_GE(test.sources, kFewestSources);
    EXPECT_GT(test.largest_world_size, 1);
    EXPECT_LE(test.doublings, kMostDoublings);
    EXPECT_LE(test.band.low, 1);
    EXPECT_GE(test.band.high, 1);
    EXPECT_GT(test.coverage, 0.5);
  }
}

}  // namespace
}  // namespace scalemark::prediction
