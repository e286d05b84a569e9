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

TEST(ParseByteSize, WholeNumbersWithAUnit) {
  EXPECT_EQ(parse_byte_size("1B"), 1);
  EXPECT_EQ(parse_byte_size("512MiB"), 536'870'912);
  EXPECT_EQ(parse_byte_size("2GiB"), 2'147'483'648);
  EXPECT_EQ(parse_byte_size("2GB"), 2'000'000'000);
  EXPECT_EQ(parse_byte_size("8388607TiB"), 9'223'370'937'343'148'032);
  for (const char* bad : {"", "B", "512", "0MiB", "-1GB", "1.5GiB", "2 GB", "2gb", "2G",
                          "8388608TiB", "9223372036854775807KiB"}) {
    EXPECT_FALSE(parse_byte_size(bad)) << bad;
  }
}

}  // namespace
}  // namespace scalemark
