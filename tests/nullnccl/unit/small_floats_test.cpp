// The 16-bit floats against torch's, bit by bit.
#include "tests/nullnccl/small_floats.h"

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <gtest/gtest.h>

#include <random>

namespace nullnccl {
namespace {

bool same(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

TEST(NullNcclSmallFloats, WidenAsTorchDoes) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto word = static_cast<std::uint16_t>(bits);
    const float half = c10::Half(word, c10::Half::from_bits());
    const float brain = c10::BFloat16(word, c10::BFloat16::from_bits());
    ASSERT_TRUE(same(widen(Half{word}), half)) << bits;
    ASSERT_TRUE(same(widen(Bfloat16{word}), brain)) << bits;
  }
}

TEST(NullNcclSmallFloats, NarrowAsTorchDoes) {
  std::mt19937 random(1);
  const auto narrows = [](float value) {
    ASSERT_EQ(narrow_to(Half{}, value).bits, c10::Half(value).x) << value;
    ASSERT_EQ(narrow_to(Bfloat16{}, value).bits, c10::BFloat16(value).x) << value;
  };
  for (int i = 0; i < 300'000; ++i) {
    const float any = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isnan(any)) narrows(any);
    // In the range of half's numbers, often on a midpoint of two.
    narrows(std::ldexp(static_cast<float>(random() % 8192) - 4096,
                       static_cast<int>(random() % 30) - 28));
  }
  EXPECT_TRUE(std::isnan(widen(narrow_to(Half{}, NAN))));
  EXPECT_TRUE(std::isnan(widen(narrow_to(Bfloat16{}, NAN))));
}

}  // namespace
}  // namespace nullnccl
