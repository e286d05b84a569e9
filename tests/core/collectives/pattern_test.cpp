#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "core/collectives/check.h"

namespace scalemark::collectives {
namespace {

constexpr Collective kAll[] = {Collective::kAllReduce,     Collective::kAllGather,
                               Collective::kReduceScatter, Collective::kBroadcast,
                               Collective::kReduce,        Collective::kGather,
                               Collective::kAllToAll,      Collective::kSendRecv};

TEST(Pattern, LiteralValues) {
  const Exchange gather{Collective::kAllGather, 2, 8, 0};
  EXPECT_EQ(input_value(gather, 0, 0), 1);
  EXPECT_EQ(input_value(gather, 0, 1), 6);
  EXPECT_EQ(input_value(gather, 1, 0), 38);
  EXPECT_EQ(expected_value(gather, 0, 4), 38);  // rank 1's first
  const Exchange sum{Collective::kAllReduce, 2, 8, 0};
  EXPECT_EQ(input_value(sum, 0, 2), 1 + 10);  // the rank's part and the element's
  EXPECT_EQ(input_value(sum, 1, 2), 2);
  EXPECT_EQ(expected_value(sum, 0, 2), 13);
  const Exchange to_all{Collective::kAllToAll, 2, 8, 0};
  EXPECT_EQ(expected_value(to_all, 1, 0), input_value(to_all, 0, 4));
  EXPECT_EQ(expected_value(to_all, 1, 5), input_value(to_all, 1, 5));
}

TEST(Pattern, EveryValueIsExactInSixteenBits) {
  for (const Collective collective : kAll) {
    for (const int ranks : {1, 2, 13, 192, 193, 4096}) {
      const Exchange exchange{collective, ranks, std::int64_t{ranks} * 2, 7};
      for (const int rank : {0, ranks / 2, ranks - 1}) {
        for (std::int64_t i = 0; i < output_elements(exchange, rank); i += 1 + ranks / 9) {
          const int value = expected_value(exchange, rank, i);
          EXPECT_GE(value, 1);
          EXPECT_LE(value, kMostExact);
        }
      }
    }
  }
}

TEST(Pattern, NeighboursAndRoundsDifferInEveryResult) {
  for (const Collective collective : kAll) {
    for (const int ranks : {2, 5, 192, 300}) {
      Exchange now{collective, ranks, std::int64_t{ranks} * 9, 3}, next = now;
      next.round = 4;
      for (std::int64_t i = 0; i < output_elements(now, 0); ++i) {
        const int value = expected_value(now, 0, i);
        EXPECT_NE(value, expected_value(next, 0, i)) << name_of(collective) << " " << i;
        const bool last_of_its_source = is_shared(collective) && (i + 1) % share_of(now) == 0;
        if (i + 1 == output_elements(now, 0) || last_of_its_source) continue;
        EXPECT_NE(value, expected_value(now, 0, i + 1)) << name_of(collective) << " " << i;
      }
    }
  }
}

TEST(Pattern, EachRanksDataIsItsOwn) {
  for (const Collective collective : kAll) {
    for (const int ranks : {2, 8, 64, 300}) {
      const Exchange exchange{collective, ranks, std::int64_t{ranks} * ranks, 1};
      std::set<std::vector<int>> seen;
      for (int rank = 0; rank < ranks; ++rank) {
        std::vector<int> data;
        for (std::int64_t i = 0; i < std::min<std::int64_t>(input_elements(exchange), 2 * ranks);
             ++i) {
          data.push_back(input_value(exchange, rank, i));
        }
        EXPECT_TRUE(seen.insert(data).second) << name_of(collective) << " rank " << rank;
      }
    }
  }
}

// A rank that is left out of a sum, or counted twice for another, is seen at every element.
TEST(Pattern, NoRankIsMissingUnnoticed) {
  for (const int ranks : {2, 8, 96, 192}) {
    const Exchange exchange{Collective::kAllReduce, ranks, 100, 5};
    for (int rank = 0; rank < ranks; ++rank) {
      for (std::int64_t i = 0; i < 100; ++i) EXPECT_GE(input_value(exchange, rank, i), 1);
    }
  }
  const Exchange many{Collective::kAllReduce, 4096, 100, 5};
  for (int rank = 0; rank < 4096; ++rank) {
    int sum = 0;
    for (std::int64_t i = 0; i < 100; ++i) sum += input_value(many, rank, i);
    EXPECT_GT(sum, 0) << "rank " << rank;
  }
}

TEST(SourceOf, IsTheRankThatSentIt) {
  EXPECT_EQ(source_of({Collective::kAllGather, 4, 40}, 2, 39), 3);
  EXPECT_EQ(source_of({Collective::kGather, 4, 40}, 0, 10), 1);
  EXPECT_EQ(source_of({Collective::kAllToAll, 4, 40}, 3, 29), 2);
  EXPECT_EQ(source_of({Collective::kBroadcast, 4, 40}, 3, 29), 0);
  EXPECT_EQ(source_of({Collective::kSendRecv, 4, 40}, 0, 29), 3);
  EXPECT_EQ(source_of({Collective::kSendRecv, 4, 40}, 3, 29), 2);
  EXPECT_EQ(source_of({Collective::kAllReduce, 4, 40}, 0, 0), std::nullopt);
  EXPECT_EQ(source_of({Collective::kReduceScatter, 4, 40}, 0, 0), std::nullopt);
}

}  // namespace
}  // namespace scalemark::collectives
