#include "core/base/byte_size.h"

#include <gtest/gtest.h>

namespace scalemark {
namespace {

TEST(ReadableBytes, TakesTheUnitThatSaysSomething) {
  EXPECT_EQ(readable_bytes(0), "0 bytes");
  EXPECT_EQ(readable_bytes(1'048'575), "1048575 bytes");
  EXPECT_EQ(readable_bytes(1'048'576), "1.0 MiB");
  EXPECT_EQ(readable_bytes(314'572'800), "300.0 MiB");
  EXPECT_EQ(readable_bytes(536'870'912), "0.50 GiB");
  EXPECT_EQ(readable_bytes(85'899'345'920), "80.00 GiB");
  EXPECT_EQ(readable_bytes(~0ULL), "17179869184.00 GiB");
}

}  // namespace
}  // namespace scalemark
