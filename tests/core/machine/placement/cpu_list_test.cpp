#include <gtest/gtest.h>

#include "core/machine/places.h"

namespace scalemark::placement {
namespace {

using List = std::vector<int>;

TEST(CpuList, IsReadAsTheKernelWritesIt) {
  EXPECT_EQ(parse_cpu_list("0"), List{0});
  EXPECT_EQ(parse_cpu_list("0-3"), (List{0, 1, 2, 3}));
  EXPECT_EQ(parse_cpu_list("0-1,8,10-11"), (List{0, 1, 8, 10, 11}));
  EXPECT_EQ(parse_cpu_list(""), List{});
}

TEST(CpuList, WhatIsNoListIsRefused) {
  for (const char* text : {",", "1,", "-1", "3-1", "a", "1-", "1 ", "0-70000", "99999999999"}) {
    EXPECT_FALSE(parse_cpu_list(text)) << text;
  }
}

TEST(CpuList, IsWrittenAsShortAsPossible) {
  EXPECT_EQ(cpu_list({}), "");
  EXPECT_EQ(cpu_list({5}), "5");
  EXPECT_EQ(cpu_list({3, 0, 1, 1, 8}), "0-1,3,8");
}

}  // namespace
}  // namespace scalemark::placement
