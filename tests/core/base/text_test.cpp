#include "core/base/text.h"

#include <gtest/gtest.h>

namespace scalemark {
namespace {

TEST(Text, AShellReadsAWordBack) {
  EXPECT_EQ(shell_word("--sizes=4KiB..1MiB"), "--sizes=4KiB..1MiB");
  EXPECT_EQ(shell_word("32..256*2"), "'32..256*2'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("it's caf\xe9"), "$'it\\'s caf\\xe9'");
}

TEST(Text, AnOptionIsTakenOutWithItsValue) {
  const std::string line = "scalemark sweep --quick --output 'my runs' --output-x y --quick-not";
  EXPECT_EQ(without_option(line, " --quick", false),
            "scalemark sweep --output 'my runs' --output-x y --quick-not");
  EXPECT_EQ(without_option(line, " --output", true),
            "scalemark sweep --quick --output-x y --quick-not");
  EXPECT_EQ(without_option("scalemark sweep --output=a/b --seed 1", " --output", true),
            "scalemark sweep --seed 1");
  EXPECT_EQ(without_option("scalemark sweep --output a", " --output", true), "scalemark sweep");
  EXPECT_EQ(without_option("scalemark sweep", " --resume", false), "scalemark sweep");
}

TEST(Text, AnOptionsValueIsFound) {
  EXPECT_EQ(option_value("scalemark sweep --output 'acc/1/{host}' --seed 1", " --output"),
            "acc/1/{host}");
  EXPECT_EQ(option_value("scalemark sweep --output=a/b", " --output"), "a/b");
  EXPECT_EQ(option_value("scalemark sweep --outputs a", " --output"), std::nullopt);
}

TEST(Text, ATextIsShortenedBetweenWords) {
  EXPECT_EQ(shortened("one two three", 13), "one two three");
  EXPECT_EQ(shortened("one two three", 12), "one two ...");
  EXPECT_EQ(shortened("\xC3\xB6ne two three", 13), "\xC3\xB6ne two three");
  EXPECT_EQ(shortened("aword", 4), " ...");
}

TEST(Text, NumbersHaveNoExponent) {
  EXPECT_EQ(significant(12345678, 3), "12345678");
  EXPECT_EQ(significant(0.0000123, 3), "0.0000123");
  EXPECT_EQ(significant(9.999, 3), "10");
  EXPECT_EQ(grouped(-12345.6), "-12,346");
  EXPECT_EQ(p_text(0.0004), "p below 0.001");
}

TEST(Text, ClocksAndIntervals) {
  EXPECT_EQ(clock_text(24.9), "0:24");
  EXPECT_EQ(clock_text(3723), "1:02:03");
  EXPECT_EQ(not_known(2, "run"), "not known (2 runs)");
}

}  // namespace
}  // namespace scalemark
