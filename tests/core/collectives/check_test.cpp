#include "core/collectives/check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/base/error.h"

namespace scalemark::collectives {
namespace {

constexpr DataType kTypes[] = {DataType::kFp32, DataType::kFp16, DataType::kBf16, DataType::kInt32};

// Elements as bytes, whatever their type.
struct Buffer {
  Buffer(std::int64_t elements, DataType element_type)
      : type(element_type), bytes(static_cast<std::size_t>(elements * bytes_of(element_type))) {}
  DataType type;
  std::vector<std::byte> bytes;
};

// The all-gather of all ranks' inputs.
Buffer gathered(const Exchange& exchange, DataType type) {
  Buffer all(exchange.elements, type);
  const auto share = static_cast<std::size_t>(share_of(exchange) * bytes_of(type));
  for (int rank = 0; rank < exchange.world_size; ++rank) {
    fill_input(exchange, rank, type, all.bytes.data() + static_cast<std::size_t>(rank) * share);
  }
  return all;
}

TEST(WrongElements, NoneInWhatIsRight) {
  for (const DataType type : kTypes) {
    const Exchange exchange{Collective::kAllGather, 4, 4000, 2};
    const Buffer all = gathered(exchange, type);
    EXPECT_EQ(wrong_elements(exchange, 1, type, all.bytes.data()).count, 0) << name_of(type);
  }
}

// Every bit of every element counts, in each type.
TEST(WrongElements, OneFlippedBitIsFoundAndItsRankNamed) {
  const Exchange exchange{Collective::kAllGather, 4, 400, 2};
  for (const DataType type : kTypes) {
    for (int bit = 0; bit < 8 * bytes_of(type); ++bit) {
      Buffer all = gathered(exchange, type);
      const std::size_t element = 250 + static_cast<std::size_t>(bit);
      const auto place =
          element * static_cast<std::size_t>(bytes_of(type)) + static_cast<std::size_t>(bit) / 8;
      all.bytes[place] ^= std::byte{1} << (bit % 8);
      const WrongElements wrong = wrong_elements(exchange, 0, type, all.bytes.data());
      EXPECT_EQ(wrong.count, 1) << name_of(type) << " bit " << bit;
      EXPECT_EQ(wrong.first, static_cast<std::int64_t>(element));
      EXPECT_EQ(wrong.from, 2);
    }
  }
}

TEST(WrongElements, StaleAndUnwrittenBuffersAreWrongEverywhere) {
  Exchange exchange{Collective::kAllGather, 4, 400, 2};
  for (const DataType type : kTypes) {
    exchange.round = 2;
    const Buffer stale = gathered(exchange, type), unwritten(400, type);
    exchange.round = 3;
    EXPECT_EQ(wrong_elements(exchange, 0, type, stale.bytes.data()).count, 400);
    EXPECT_EQ(wrong_elements(exchange, 0, type, unwritten.bytes.data()).count, 400);
  }
}

TEST(WrongElements, OfSumsShowNoRank) {
  const Exchange exchange{Collective::kAllReduce, 2, 3};
  std::vector<float> output(3);
  for (int rank = 0; rank < 2; ++rank) {
    std::vector<float> input(3);
    fill_input(exchange, rank, input);
    for (std::size_t i = 0; i < 3; ++i) output[i] += input[i];
  }
  EXPECT_EQ(wrong_elements(exchange, 0, output).count, 0);
  output[1] = std::numeric_limits<float>::quiet_NaN();
  const WrongElements wrong = wrong_elements(exchange, 0, output);
  EXPECT_EQ(wrong.count, 1);
  EXPECT_EQ(wrong.first, 1);
  EXPECT_FALSE(wrong.from);
}

TEST(FillInput, ABufferOfAnotherLengthIsABug) {
  std::vector<float> buffer(3);
  EXPECT_THROW(fill_input({Collective::kAllReduce, 2, 4}, 0, buffer), Error);
  EXPECT_THROW(wrong_elements({Collective::kReduceScatter, 2, 4}, 0, buffer), Error);
}

TEST(HalfBits, LiteralValues) {
  EXPECT_EQ(fp16_bits(0), 0);
  EXPECT_EQ(fp16_bits(1), 0x3c00);
  EXPECT_EQ(fp16_bits(256), 0x5c00);
  EXPECT_EQ(fp16_bits(251), 0x5bd8);
  EXPECT_EQ(bf16_bits(1), 0x3f80);
  EXPECT_EQ(bf16_bits(255), 0x437f);
  EXPECT_THROW(bf16_bits(257), Error);
  EXPECT_THROW(half_bits(DataType::kFp32, 1), Error);
}

}  // namespace
}  // namespace scalemark::collectives
