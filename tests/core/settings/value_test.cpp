#include "core/settings/value.h"

#include <gtest/gtest.h>

namespace scalemark::settings {
namespace {

TEST(ParseCount, TakesWholeNumbersOnly) {
  EXPECT_EQ(parse_count("0"), 0);
  EXPECT_EQ(parse_count("+7"), 7);
  EXPECT_EQ(parse_count("-1"), -1);
  EXPECT_EQ(parse_count("9223372036854775807"), 9223372036854775807);
  for (const char* bad : {"", " 4", "4 ", "32.7", "1e3", "0x10", "four", "+-4", "-", "1,000",
                          "9223372036854775808", "99999999999999999999"}) {
    EXPECT_FALSE(parse_count(bad)) << bad;
  }
}

TEST(ParseNumber, RefusesWhatADoubleDoesNotHold) {
  EXPECT_EQ(parse_number("0.1"), 0.1);
  EXPECT_EQ(parse_number("1e-4"), 1e-4);
  EXPECT_EQ(parse_number("25"), 25.0);
  for (const char* bad : {"", "1e400", "-1e400", "1e-400", "inf", "nan", "0.1x", "0,1", " 1"}) {
    EXPECT_FALSE(parse_number(bad)) << bad;
  }
}

TEST(ParseSeconds, KnowsFourUnits) {
  EXPECT_EQ(parse_seconds("2"), 2.0);
  EXPECT_EQ(parse_seconds("2s"), 2.0);
  EXPECT_EQ(parse_seconds("500ms"), 0.5);
  EXPECT_EQ(parse_seconds("5m"), 300.0);
  EXPECT_EQ(parse_seconds("1.5h"), 5400.0);
  for (const char* bad : {"", "s", "ms", "2d", "2 s", "1e308h"}) {
    EXPECT_FALSE(parse_seconds(bad)) << bad;
  }
}

TEST(ParseStepsOrTime, NeedsAUnit) {
  EXPECT_EQ(parse_steps_or_time("100steps")->steps, 100);
  EXPECT_EQ(parse_steps_or_time("10m")->seconds, 600.0);
  EXPECT_EQ(parse_steps_or_time("90s")->seconds, 90.0);
  EXPECT_FALSE(parse_steps_or_time("90s")->steps);
  for (const char* bad : {"", "100", "0steps", "-1steps", "1.5steps", "steps", "0s", "-1m", "x"}) {
    EXPECT_FALSE(parse_steps_or_time(bad)) << bad;
  }
}

TEST(ParseTimeouts, OneForAllAndSomeByName) {
  const auto one = parse_timeouts("120");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->every_s, 120.0);
  EXPECT_TRUE(one->phase_s.empty());

  const auto mixed = parse_timeouts("300,rendezvous=1m");
  ASSERT_TRUE(mixed);
  EXPECT_EQ(mixed->every_s, 300.0);
  EXPECT_EQ(mixed->phase_s, (std::map<std::string, double>{{"rendezvous", 60.0}}));
}

TEST(ParseTimeouts, RefusesUnknownPhasesRepetitionsAndZero) {
  for (const char* bad : {"", "0", "-1", "windows=3", "window=", "=3", "3,4", "window=3,window=4",
                          "window=0", "3,"}) {
    EXPECT_FALSE(parse_timeouts(bad)) << bad;
  }
}

TEST(ParseMemoryLimits, OneForAllAndSomeByRank) {
  const auto one = parse_memory_limits("2GiB");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->every_bytes, std::int64_t{2} << 30);
  EXPECT_TRUE(one->bytes_of_rank.empty());

  const auto mixed = parse_memory_limits("1=512MiB,2GB,3=1kB");
  ASSERT_TRUE(mixed);
  EXPECT_EQ(mixed->every_bytes, 2'000'000'000);
  EXPECT_EQ(mixed->bytes_of_rank, (std::map<int, std::int64_t>{{1, 536'870'912}, {3, 1000}}));
  for (const char* bad : {"", "auto", "1=", "=1GB", "-1=1GB", "x=1GB", "1=1GB,1=2GB", "1GB,2GB",
                          "1GB,", "2147483648=1GB"}) {
    EXPECT_FALSE(parse_memory_limits(bad)) << bad;
  }
}

TEST(ParseBetas, TwoSharesBelowOne) {
  EXPECT_EQ(parse_betas("0.9,0.999"), (Betas{0.9, 0.999}));
  for (const char* bad : {"0.9", "0.9,", "0.9,1", "-0.1,0.9", "0.9,0.99,0.999"}) {
    EXPECT_FALSE(parse_betas(bad)) << bad;
  }
}

TEST(Read, TextsAreUtf8) {
  const Option& output = *find_option("output");
  EXPECT_TRUE(read(output, "runs/\xc3\xa9t\xc3\xa9"));
  for (const char* bad : {"", "\xff", "a\xc3", "\xc3z", "\x80"}) EXPECT_FALSE(read(output, bad));
}

TEST(ToText, ReadsBackExactly) {
  for (const double value : {0.1, 1e-4, 1.0 / 3, 25.0, 5.0 / 90, 1e300}) {
    EXPECT_EQ(parse_number(to_text(value)), value);
  }
  EXPECT_EQ(to_text(0.1), "0.1");
}

}  // namespace
}  // namespace scalemark::settings
