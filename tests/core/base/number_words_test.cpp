#include "core/base/number_words.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace scalemark {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kLargest = std::numeric_limits<double>::max();
constexpr double kSmallest = std::numeric_limits<double>::denorm_min();

TEST(NumberWords, DigitsHaveNoExponentAndZeroHasNoSign) {
  EXPECT_EQ(with_decimals(-0.04, 1), "0.0");
  EXPECT_EQ(with_decimals(-0.06, 1), "-0.1");
  EXPECT_EQ(with_sign(12.34, 1), "+12.3");
  EXPECT_EQ(with_sign(-0.04, 1), "0.0");
  EXPECT_EQ(with_sign(0.0004, 3), "0.000");
  EXPECT_EQ(significant(12345678, 3), "12345678");
  EXPECT_EQ(significant(0.0000123, 3), "0.0000123");
  EXPECT_EQ(significant(9.999, 3), "10");
  EXPECT_EQ(significant(-0.25, 3), "-0.25");
  EXPECT_EQ(significant(0, 3), "0");
  EXPECT_EQ(significant(kSmallest, 3), "0");
  EXPECT_EQ(significant(kLargest, 3).size(), 309u);
  EXPECT_EQ(grouped(-12345.6), "-12,346");
  EXPECT_EQ(grouped(-0.3), "0");
  EXPECT_EQ(grouped(-999), "-999");
  EXPECT_EQ(grouped(1234567), "1,234,567");
}

TEST(NumberWords, ProgramsReadNumbersBack) {
  for (const double value : {0.1, 1e300, -2.5e-300, 12345678.9}) {
    EXPECT_EQ(std::stod(exact(value)), value);
  }
  EXPECT_EQ(printed("%.6f", 0.5), "0.500000");
}

TEST(NumberWords, DigitsFollowTheSizeOfTheNumber) {
  EXPECT_EQ(readable(7377.4), "7,377");
  EXPECT_EQ(readable(-123.44), "-123.4");
  EXPECT_EQ(readable(999.96), "1,000");
  EXPECT_EQ(readable(99.996), "100.0");
  EXPECT_EQ(readable(0.9996), "1.00");
  EXPECT_EQ(readable(1), "1.00");
  EXPECT_EQ(readable(0.5), "0.500");
  EXPECT_EQ(readable(0.01234), "0.0123");
  EXPECT_EQ(readable(0), "0");
  EXPECT_EQ(three_digits(0.0414), "0.041");
  EXPECT_EQ(three_digits(0.1), "0.10");
  EXPECT_EQ(three_digits(9.876), "9.88");
  EXPECT_EQ(three_digits(98.76), "98.8");
  EXPECT_EQ(three_digits(987.6), "988");
  EXPECT_EQ(three_digits(9876), "9,876");
  EXPECT_EQ(three_digits(-9.876), "-9.88");
  EXPECT_EQ(two_digits(1.449), "~1.4");
  EXPECT_EQ(two_digits(9.97), "~10");
  EXPECT_EQ(two_digits(1234), "~1,200");
  EXPECT_EQ(two_digits(0.0449), "~0.045");
  EXPECT_EQ(two_digits(0), "~0");
  EXPECT_EQ(two_digits(kSmallest), "~0");
}

TEST(NumberWords, SharesAndProbabilities) {
  EXPECT_EQ(percent_text(0.703), "70.3");
  EXPECT_EQ(percent_text(-0.0001), "0.0");
  EXPECT_EQ(percent(0.1234), "12.3 %");
  EXPECT_EQ(percent(0.1234, 0), "12 %");
  EXPECT_EQ(given_percent(0.05), "5 %");
  EXPECT_EQ(given_percent(0.0025), "0.25 %");
  EXPECT_EQ(change_in_percent(0.0123), "+1.2");
  EXPECT_EQ(change_in_percent(-0.0001), "0.0");
  EXPECT_EQ(p_text(0.0004), "p below 0.001");
  EXPECT_EQ(p_text(0.0124), "p 0.012");
}

TEST(NumberWords, RatesTakeThePrefixOfTheirUnit) {
  EXPECT_EQ(rate_text(1.4321e11, "FLOP/s"), "143.2 GFLOP/s");
  EXPECT_EQ(rate_text(1.25e10, "B/s"), "12.50 GB/s");
  EXPECT_EQ(rate_text(12, "B/s"), "12.00 B/s");
  EXPECT_EQ(rate_text(1344, "images/s"), "1,344 images/s");
  EXPECT_EQ(rate_text(1.5, ""), "1.5");
  EXPECT_EQ(rate_range(9e8, 1.2e9, 1e9, "B/s"), "0.900 to 1.20") << "in the prefix of the value";
}

TEST(NumberWords, TimesAreMeasuredPassOrAreEstimated) {
  EXPECT_EQ(duration_text(0), "0 us");
  EXPECT_EQ(duration_text(2.346e-6), "2.35 us");
  EXPECT_EQ(duration_text(0.99999e-3), "1.00 ms");
  EXPECT_EQ(duration_text(2.5), "2.50 s");
  EXPECT_EQ(duration_text(-0.0123), "-12.3 ms");
  EXPECT_EQ(duration_text(99.94), "99.9 s");
  EXPECT_EQ(duration_text(99.96), "1:40");
  EXPECT_EQ(duration_text(3723), "1:02:03");
  EXPECT_EQ(age_text(0.42), "0.4 s");
  EXPECT_EQ(age_text(34.4), "34 s");
  EXPECT_EQ(age_text(99.5), "1:39");
  EXPECT_EQ(clock_text(24.9), "0:24");
  EXPECT_EQ(clock_text(-3), "0:00");
  EXPECT_EQ(clock_text(360000), "100:00:00");
  EXPECT_EQ(rough_duration(42.34), "42 s");
  EXPECT_EQ(rough_duration(99.7), "1.7 min") << "100 s would be its two digits";
  EXPECT_EQ(rough_duration(723), "12 min");
  EXPECT_EQ(rough_duration(26.2 * 3600), "26 h");
  EXPECT_EQ(rough_duration(5.04 * 86400), "5 days");
  EXPECT_EQ(seconds_text(30), "30 s");
  EXPECT_EQ(seconds_text(0.25), "0.25 s");
}

TEST(NumberWords, SizesHaveThreeDigitsWhereTheyAreNotWhole) {
  EXPECT_EQ(size_text(0), "0 B");
  EXPECT_EQ(size_text(1000), "1000 B");
  EXPECT_EQ(size_text(4096), "4 KiB");
  EXPECT_EQ(size_text(102228128), "97.5 MiB");
  EXPECT_EQ(size_text(1'048'575), "1.00 MiB") << "not 1024 KiB";
  EXPECT_EQ(size_text(64 << 20), "64 MiB");
  EXPECT_EQ(size_text(1.5 * 0x1p30), "1.50 GiB");
  EXPECT_EQ(size_text(1000.4 * 0x1p20), "1000 MiB");
  EXPECT_EQ(size_text(-1.5 * 0x1p20), "-1.50 MiB");
  EXPECT_EQ(size_text(static_cast<double>(~0ULL)), "16 EiB");
}

TEST(NumberWords, WhatIsNotFiniteSaysSo) {
  for (const auto text : {readable, three_digits, grouped, percent_text, change_in_percent}) {
    EXPECT_EQ(text(kNan), "nan");
    EXPECT_EQ(text(-kNan), "nan");
    EXPECT_EQ(text(-kInf), "-inf");
    EXPECT_FALSE(text(kLargest).empty());
  }
  EXPECT_EQ(two_digits(kNan), "nan");
  for (const auto text : {duration_text, age_text, clock_text, seconds_text}) {
    EXPECT_EQ(text(kNan), "nan s");
    EXPECT_EQ(text(kInf), "inf s");
    EXPECT_FALSE(text(kLargest).empty());
  }
  EXPECT_EQ(rough_duration(kInf), "inf days");
  EXPECT_EQ(size_text(kNan), "nan B");
  EXPECT_EQ(size_text(-kInf), "-inf B");
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
