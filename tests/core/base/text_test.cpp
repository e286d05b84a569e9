#include "core/base/text.h"

#include <gtest/gtest.h>

namespace scalemark {
namespace {

TEST(Text, AShellReadsAWordBack) {
  EXPECT_EQ(shell_word("--sizes=4KiB..1MiB"), "--sizes=4KiB..1MiB");
  EXPECT_EQ(shell_word("32..256*2"), "'32..256*2'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("it's caf\xe9"), "\"$(printf 'it\\047s caf\\351')\"");
  EXPECT_EQ(shell_word("a\nb"), "\"$(printf 'a\\012b')\"");
  EXPECT_EQ(shell_word("50 %\x1b[0m\\"), "\"$(printf '50 %%\\033[0m\\\\')\"");
  EXPECT_EQ(shell_word("\xE2\x80\xAE"), "\"$(printf '\\342\\200\\256')\"") << "right to left";
  EXPECT_EQ(shell_word("n\xC3\xB6"), "'n\xC3\xB6'");
  EXPECT_EQ(shell_word("a\n"), "'a\n'") << "a substitution would drop the line end";
}

TEST(Text, ALineOfShellWordsIsTakenApartAgain) {
  const std::vector<std::string> words = {"scalemark", "sweep",      "--data=a b", "it's",
                                          "",          "$(touch x)", "`x`",        "a;b&c|d>e",
                                          "caf\xe9",   "two\nlines", "\"%d\\n\"",  "\x1b]0;t\x07",
                                          "\\",        "100 %\n%",   "ends\n",     "-rf",
                                          "~",         "#",          "-e\x1b"};
  EXPECT_EQ(shell_words(shell_line(words)), words);
  EXPECT_EQ(shell_line({"scalemark", "a; touch x", "$(touch x)"}),
            "scalemark 'a; touch x' '$(touch x)'");
  EXPECT_EQ(shell_words("a \"b c\" d\\ e"), (std::vector<std::string>{"a", "b c", "d e"}));
  EXPECT_TRUE(shell_words("a 'b").empty());
  for (const char* odd : {"\"$(printf '%s')\"", "\"$(printf '\\400')\"", "\"$(printf 'a')b\""}) {
    const auto parts = shell_words(odd);
    ASSERT_EQ(parts.size(), 1u) << odd;
    EXPECT_TRUE(parts.front().starts_with("$(printf ")) << "nobody runs what others wrote";
  }
}

TEST(Text, AnOptionIsTakenOutWithItsValue) {
  const std::string line = "scalemark sweep --quick --output 'my runs' --output-x y --quick-not";
  EXPECT_EQ(without_option(line, "--quick", false),
            "scalemark sweep --output 'my runs' --output-x y --quick-not");
  EXPECT_EQ(without_option(line, "--output", true),
            "scalemark sweep --quick --output-x y --quick-not");
  EXPECT_EQ(without_option("scalemark sweep --output=a/b --seed 1", "--output", true),
            "scalemark sweep --seed 1");
  EXPECT_EQ(without_option("scalemark sweep --output a", "--output", true), "scalemark sweep");
  EXPECT_EQ(without_option("scalemark sweep", "--resume", false), "scalemark sweep");
  // Whatever a folder is called, the rest of the line stays as it is.
  for (const char* name :
       {"don't stop", "it's 'quoted' twice", "a\nb", "a\x1b[1m b", "-dash", "$(x)"})
    for (const char* joint : {" ", "="}) {
      const std::string option = std::string("scalemark sweep --output") + joint;
      EXPECT_EQ(without_option(option + shell_word(name) + " --seed 1", "--output", true),
                "scalemark sweep --seed 1");
      EXPECT_EQ(option_value(option + shell_word(name) + " --seed 1", "--output"), name);
    }
  EXPECT_EQ(without_option("scalemark sweep --output 'open", "--output", true),
            "scalemark sweep --output 'open");
}

TEST(Text, AnOptionsValueIsFound) {
  EXPECT_EQ(option_value("scalemark sweep --output 'acc/1/{host}' --seed 1", "--output"),
            "acc/1/{host}");
  EXPECT_EQ(option_value("scalemark sweep --output=a/b", "--output"), "a/b");
  EXPECT_EQ(option_value("scalemark sweep --outputs a", "--output"), std::nullopt);
}

TEST(Text, PiecesBetweenSeparatorsMayBeEmpty) {
  using Pieces = std::vector<std::string_view>;
  EXPECT_EQ(split("a,,b", ","), (Pieces{"a", "", "b"}));
  EXPECT_EQ(split("a, b,", ", "), (Pieces{"a", "b,"}));
  EXPECT_EQ(split(",", ","), (Pieces{"", ""}));
  EXPECT_EQ(split("", ","), Pieces{""});
}

TEST(Text, NeighboursAreARange) {
  EXPECT_EQ(number_ranges({}), "");
  EXPECT_EQ(number_ranges({7}), "7");
  EXPECT_EQ(number_ranges({0, 1, 2, 5, 8, 9}), "0-2,5,8-9");
}

TEST(Text, OneOfTheWordsIsEnough) {
  EXPECT_TRUE(has_any("CUDA error: no device", {"gloo", "CUDA error"}));
  EXPECT_FALSE(has_any("cuda error", {"CUDA error"}));
}

TEST(Text, PrometheusReadsALabelBack) {
  EXPECT_EQ(prometheus_label("host", "n1"), "host=\"n1\"");
  EXPECT_EQ(prometheus_label("why", "a\\b \"c\"\nd"), "why=\"a\\\\b \\\"c\\\"\\nd\"");
}

TEST(Text, CountsTakeThePluralOfTheirNoun) {
  EXPECT_EQ(counted(1, "run"), "1 run");
  EXPECT_EQ(counted(0, "run"), "0 runs");
  EXPECT_EQ(counted(1, "pass", "passes"), "1 pass");
  EXPECT_EQ(counted(2, "pass", "passes"), "2 passes");
  EXPECT_EQ(not_known(2, "run"), "not known (2 runs)");
}

}  // namespace
}  // namespace scalemark
