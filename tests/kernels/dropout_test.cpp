#include "kernels/dropout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/philox.h"
#include "kernels/transformer_kernels.h"

namespace scalemark::kernels {
namespace {

constexpr std::uint64_t kKey = 0x9f0e1d2c3b4a5968;

using Block = std::array<std::uint32_t, 4>;

// The known answers that the authors publish with Random123 (file kat_vectors, philox4x32 10).
TEST(Philox, GivesTheAuthorsKnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, 0), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, ~std::uint64_t{0}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Dropout, RoundsTheProbabilityToASixteenthBit) {
  for (const double p : {0.0, 0.1, 0.25, 0.5, 0.9, 1.0 / 65536}) {
    const Dropout dropout = dropout_of(p, 7);
    EXPECT_EQ(dropout.threshold, static_cast<std::uint32_t>(std::lround(p * 65536)));
    EXPECT_DOUBLE_EQ(dropout.scale, 1 / (1 - dropout.threshold / 65536.0));
    EXPECT_EQ(dropout.key, 7u);
  }
}

class EachInstructionSet : public ::testing::TestWithParam<InstructionSet> {
 protected:
  void SetUp() override {
    if (!runs(GetParam())) GTEST_SKIP() << "this machine has no " << name_of(GetParam());
  }

  // Rows [begin, end) of a mask, and of what it leaves of ones.
  struct Drawn {
    std::vector<std::uint32_t> bits;
    std::vector<float> kept;
  };
  Drawn draw(const Dropout& dropout, std::int64_t columns, std::int64_t begin,
             std::int64_t end) const {
    const auto size = static_cast<std::size_t>(end * columns);
    std::vector<float> ones(size, 1);
    Drawn drawn{std::vector<std::uint32_t>(static_cast<std::size_t>(end * mask_words(columns))),
                std::vector<float>(size)};
    transformer_kernels(GetParam())
        .of_float.draw_and_drop(
            {ones.data(), drawn.kept.data(), drawn.bits.data(), columns, dropout}, begin, end);
    return drawn;
  }
};
INSTANTIATE_TEST_SUITE_P(Kernels, EachInstructionSet,
                         ::testing::Values(InstructionSet::kPortable, InstructionSet::kAvx2,
                                           InstructionSet::kAvx512),
                         [](const auto& named) { return std::string(name_of(named.param)); });

// Element by element as dropout.h says it.
bool expected(const Dropout& dropout, std::uint64_t row, std::uint32_t column) {
  const std::uint32_t group = column / 128, word = column % 128 / 32, block = column % 32 / 2;
  const auto words = philox({16 * group + block, 0, static_cast<std::uint32_t>(row),
                             static_cast<std::uint32_t>(row >> 32)},
                            dropout.key);
  return (words[word] >> (column % 2 == 0 ? 0 : 16) & 0xffff) >= dropout.threshold;
}

TEST_P(EachInstructionSet, DrawsTheMaskThatTheCounterDefines) {
  for (const double p : {0.1, 0.5, 1.0 / 65536, 65535.0 / 65536}) {
    const Dropout dropout = dropout_of(p, kKey);
    for (const std::int64_t columns : {1, 7, 128, 129, 300}) {
      const Drawn drawn = draw(dropout, columns, 0, 5);
      for (std::int64_t row = 0; row < 5; ++row) {
        for (std::int64_t c = 0; c < columns; ++c) {
          const bool keep =
              expected(dropout, static_cast<std::uint64_t>(row), static_cast<std::uint32_t>(c));
          const auto word =
              drawn.bits[static_cast<std::size_t>(row * mask_words(columns) + c / 32)];
          ASSERT_EQ(word >> (c % 32) & 1, keep ? 1u : 0u) << row << ", " << c;
          ASSERT_EQ(drawn.kept[static_cast<std::size_t>(row * columns + c)],
                    keep ? static_cast<float>(dropout.scale) : 0.0F);
        }
      }
    }
  }
}

TEST_P(EachInstructionSet, DropsTheShareThatItSays) {
  constexpr std::int64_t kRows = 2000, kColumns = 1024;
  for (const double p : {0.1, 0.5, 0.999}) {
    const Dropout dropout = dropout_of(p, kKey + 1);
    double kept = 0;
    for (const std::uint32_t word : draw(dropout, kColumns, 0, kRows).bits)
      kept += std::popcount(word);
    const double n = kRows * kColumns, share = 1 - dropout.threshold / 65536.0;
    EXPECT_NEAR(kept, n * share, 5 * std::sqrt(n * share * (1 - share))) << p;
  }
}

// One step of the threshold is one of 65,536 equally likely values.
TEST_P(EachInstructionSet, DropsOneMoreIn65536PerStepOfTheThreshold) {
  const Dropout below = dropout_of(0.3, kKey), above{kKey, below.threshold + 1, below.scale};
  const auto a = draw(below, 1024, 0, 4096).bits, b = draw(above, 1024, 0, 4096).bits;
  int differing = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i] | b[i], a[i]);  // the smaller probability keeps all that the larger keeps
    differing += std::popcount(a[i] ^ b[i]);
  }
  EXPECT_NEAR(differing, 64, 5 * 8);  // 4096 x 1024 / 65,536 are 64
}

TEST_P(EachInstructionSet, RowsDoNotDependOnWhoDrawsThem) {
  const Dropout dropout = dropout_of(0.1, kKey);
  const auto whole = draw(dropout, 200, 0, 64).bits, late = draw(dropout, 200, 40, 64).bits;
  const auto start = static_cast<std::ptrdiff_t>(40 * mask_words(200));
  EXPECT_TRUE(std::equal(whole.begin() + start, whole.end(), late.begin() + start));
}

TEST_P(EachInstructionSet, OtherKeysAndRowsGiveOtherMasks) {
  const auto a = draw(dropout_of(0.5, 1), 128, 0, 2).bits,
             b = draw(dropout_of(0.5, 2), 128, 0, 2).bits,
             c = draw(dropout_of(0.5, std::uint64_t{1} << 32), 128, 0, 2).bits;
  EXPECT_NE(a, b);
  EXPECT_NE(b, c);
  EXPECT_FALSE(std::equal(a.begin(), a.begin() + 4, a.begin() + 4));
}

}  // namespace
}  // namespace scalemark::kernels
