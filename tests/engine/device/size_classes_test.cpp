#include <gtest/gtest.h>

#include "engine/device/cpu_allocator.h"

namespace scalemark::device {
namespace {

TEST(SizeClasses, LiteralSizes) {
  EXPECT_EQ(bytes_of_size_class(size_class_of(1)), 64u);
  EXPECT_EQ(bytes_of_size_class(size_class_of(64)), 64u);
  EXPECT_EQ(bytes_of_size_class(size_class_of(65)), 128u);
  EXPECT_EQ(bytes_of_size_class(size_class_of(512)), 512u);
  EXPECT_EQ(bytes_of_size_class(size_class_of(513)), 576u);
  EXPECT_EQ(bytes_of_size_class(size_class_of(1025)), 1152u);
  EXPECT_EQ(bytes_of_size_class(size_class_of(1 << 20)), std::size_t{1} << 20);
  EXPECT_EQ(bytes_of_size_class(size_class_of((1 << 20) + 1)), std::size_t{9} << 17);
}

TEST(SizeClasses, EverySizeFitsAndLittleIsWasted) {
  for (std::size_t bytes = 1; bytes < (std::size_t{1} << 22); bytes += bytes < 8192 ? 1 : 997) {
    const std::size_t size = bytes_of_size_class(size_class_of(bytes));
    ASSERT_GE(size, bytes);
    ASSERT_LT(size - bytes, std::max(kSizeUnit, bytes / 8 + kSizeUnit)) << bytes;
    ASSERT_EQ(size % kSizeUnit, 0u);
  }
}

TEST(SizeClasses, AreInOrderWithoutGapsUpToTheLargestRequest) {
  for (std::size_t c = 0; c + 1 < kSizeClasses; ++c) {
    ASSERT_LT(bytes_of_size_class(c), bytes_of_size_class(c + 1));
    ASSERT_EQ(size_class_of(bytes_of_size_class(c)), c);
    ASSERT_EQ(size_class_of(bytes_of_size_class(c) + 1), c + 1);
  }
  EXPECT_LT(size_class_of(kLargestRequest), kSizeClasses);
}

}  // namespace
}  // namespace scalemark::device
