#include <gtest/gtest.h>

#include "core/base/text.h"
#include "report/judge/point/fingerprint.h"

namespace scalemark::reporting {
namespace {

ReplayRecord of_rank(int rank, std::string digest) {
  ReplayRecord replay;
  replay.host = "n1";
  replay.device = "cuda:" + std::to_string(rank);
  replay.rank = rank;
  replay.work = "matrix product";
  replay.precision = "bf16";
  replay.method = "8192 x 8192";
  replay.rounds = 1000;
  replay.digest = std::move(digest);
  return replay;
}

// "wrong_bits 2", in the order of the findings.
std::string found(const std::vector<ReplayRecord>& replays) {
  std::vector<std::string> texts;
  for (const Finding& finding : findings_of_replays(replays)) {
    texts.push_back(finding.code + " " + std::to_string(finding.place->rank.value()));
  }
  return joined(texts, ", ");
}

TEST(Replays, EqualBitsAreNoFinding) {
  EXPECT_EQ(found({of_rank(0, "a"), of_rank(1, "a"), of_rank(2, "a")}), "");
  EXPECT_EQ(found({of_rank(0, "a")}), "");
}

TEST(Replays, ADeviceThatContradictsItselfIsWrongWithoutPeers) {
  ReplayRecord replay = of_rank(0, "a");
  replay.wrong = 2;
  replay.first_wrong = "round 7, row 1, column 2, 1 element";
  EXPECT_EQ(found({replay}), "wrong_bits 0");
  const std::string text = findings_of_replays(std::vector{replay}).front().text;
  EXPECT_NE(text.find("2 of 1,000 rounds"), std::string::npos) << text;
  EXPECT_NE(text.find("round 7, row 1"), std::string::npos) << text;
}

TEST(Replays, MoreThanHalfOfThreeDecide) {
  EXPECT_EQ(found({of_rank(0, "a"), of_rank(1, "a"), of_rank(2, "b")}), "wrong_bits 2");
  EXPECT_EQ(found({of_rank(0, "a"), of_rank(1, "b")}), "bits_differ 0, bits_differ 1");
  EXPECT_EQ(found({of_rank(0, "a"), of_rank(1, "a"), of_rank(2, "b"), of_rank(3, "b")}),
            "bits_differ 0, bits_differ 1, bits_differ 2, bits_differ 3");
}

TEST(Replays, OnlyEqualMethodsAreCompared) {
  ReplayRecord other = of_rank(2, "b");
  other.method = "8192 x 8192, 114 multiprocessors";
  EXPECT_EQ(found({of_rank(0, "a"), of_rank(1, "a"), other}), "");
}

// A device that was replayed in two sessions has one voice.
TEST(Replays, ADeviceCountsOnce) {
  EXPECT_EQ(found({of_rank(0, "a"), of_rank(0, "a"), of_rank(1, "b")}),
            "bits_differ 0, bits_differ 0, bits_differ 1");
}

// Two sessions of one method: one of them was wrong, and nobody has to say which.
TEST(Replays, ADeviceWithTwoDigestsContradictsItself) {
  EXPECT_EQ(found({of_rank(0, "a"), of_rank(0, "b")}), "wrong_bits 0, wrong_bits 0");
  EXPECT_EQ(found({of_rank(0, "a"), of_rank(0, "b"), of_rank(1, "a")}), "wrong_bits 0")
      << "the others have those of its first session";
  const auto three = found({of_rank(0, "a"), of_rank(0, "b"), of_rank(1, "a"), of_rank(2, "b")});
  EXPECT_EQ(three, "wrong_bits 0, wrong_bits 0, bits_differ 1, bits_differ 2");
  const std::vector both{of_rank(0, "a"), of_rank(0, "b")};
  EXPECT_EQ(findings_of_replays(both).front().text,
            "rank 0 (n1, cuda:0): bf16 matrix product: other bits in another session");
}

TEST(Replays, WhatWasNotDoneIsNotJudged) {
  ReplayRecord none = of_rank(2, "");
  none.reason = "out of memory";
  EXPECT_EQ(found({of_rank(0, "a"), of_rank(1, "a"), none}), "");
}

}  // namespace
}  // namespace scalemark::reporting
