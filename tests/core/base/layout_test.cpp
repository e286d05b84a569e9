#include <gtest/gtest.h>

#include <string>

#include "core/base/terminal.h"

namespace scalemark {
namespace {

Terminal of_width(int columns) { return {.is_terminal = true, .columns = columns}; }

TEST(Layout, AWidthIsThatOfATerminal) {
  EXPECT_EQ(width_of("gr\xC3\xBC\xC3\x9F"), 4u);
  EXPECT_EQ(width_of("\x1b[1mbold\x1b[0m"), 4u);
  EXPECT_EQ(text_width({}), 80u);
  EXPECT_EQ(text_width(of_width(20)), 60u);
  EXPECT_EQ(text_width(of_width(132)), 132u);
  EXPECT_EQ(text_width(of_width(500)), 200u);
}

TEST(Layout, AParagraphIsWrappedBetweenWords) {
  EXPECT_EQ(wrapped("one two three", 9, 2), "one two\n  three\n");
  EXPECT_EQ(wrapped("one two three", 9, 2, "- "), "- one two\n  three\n");
  EXPECT_EQ(wrapped("unbreakable word", 5, 2), "unbreakable\n  word\n");
  EXPECT_EQ(wrapped("", 5, 2), "\n");
  EXPECT_EQ(list_item("one\ntwo", 80), "- one two\n");
}

TEST(Layout, ANumberStandsWithItsUnit) {
  EXPECT_EQ(wrapped("it is 84 % of 97.5 MiB, in 3 ms", 8, 0),
            "it is\n84 % of\n97.5 MiB,\nin 3 ms\n");
  EXPECT_EQ(wrapped("rank 3 has", 7, 0), "rank 3\nhas\n");
}

TEST(Layout, AnItemContinuesBelowItsText) {
  const std::string words = "word word word word word word word word word word word word word\n";
  EXPECT_EQ(folded("- " + words, of_width(60)),
            "- word word word word word word word word word word word\n  word word\n");
  EXPECT_EQ(folded("! " + words, of_width(60)).substr(57, 8), "  word w");
  EXPECT_EQ(folded("name      " + words, of_width(60)),
            "name      word word word word word word word word word word\n"
            "          word word word\n");
  EXPECT_EQ(folded("    " + words, of_width(60)),
            "    word word word word word word word word word word word\n      word word\n");
}

TEST(Layout, AMarkOfARankOrARunIsNoJson) {
  const std::string words = "word word word word word word word word word word word word word\n";
  const std::string rest = "word word word word word word word word word word word\n  word word\n";
  EXPECT_EQ(folded("[1] " + words, of_width(60)), "[1] " + rest);
  EXPECT_EQ(folded("[3/12] " + words, of_width(65)), "[3/12] " + rest);
  for (const std::string json : {"[1, ", "[\"", "[] ", "[1]", "{ "})
    EXPECT_EQ(folded(json + words, of_width(60)), json + words);
}

TEST(Layout, AWordThatNoLineHoldsStandsAlone) {
  const std::string line = "      " + std::string(70, 'x') + "\n";
  EXPECT_EQ(folded(line, of_width(60)), line);
  EXPECT_EQ(folded("scalemark train --fields \\\n" + line, of_width(60)),
            "scalemark train --fields \\\n" + line);
}

TEST(Layout, ACommandCanBePastedStill) {
  const std::string command =
      "scalemark sweep --workload resnet50 --data '/a folder/with blanks in it' --resume";
  EXPECT_EQ(folded("what next  " + command + "\n", of_width(60)),
            "what next  scalemark sweep --workload resnet50 \\\n"
            "               --data '/a folder/with blanks in it' \\\n"
            "               --resume\n");
  EXPECT_EQ(
      folded("  scalemark train --workload resnet50     measures it on one rank of this one\n",
             of_width(60)),
      "  scalemark train --workload resnet50\n"
      "      measures it on one rank of this one\n");
  EXPECT_EQ(
      folded("  torchrun --no-python --nproc-per-node 8 scalemark train --workload mlp --resume\n",
             of_width(60)),
      "  torchrun --no-python --nproc-per-node 8 scalemark train \\\n"
      "      --workload mlp --resume\n");
  EXPECT_EQ(folded("scalemark: error E_INTERRUPTED (exit 130): stopped by signal 2. Hint: 3 of 9 "
                   "runs kept; go on: scalemark sweep --workload mlp --output 'don'\\''t a b' "
                   "--world-sizes 1,2 --resume\n",
                   of_width(60)),
            "scalemark: error E_INTERRUPTED (exit 130): stopped by signal\n"
            "  2. Hint: 3 of 9 runs kept; go on:\n"
            "  scalemark sweep --workload mlp --output 'don'\\''t a b' \\\n"
            "      --world-sizes 1,2 --resume\n");
  EXPECT_EQ(list_item("what next, to be surer: scalemark sweep --resume --output a/b", 60),
            "- what next, to be surer:\n  scalemark sweep --resume --output a/b\n");
  EXPECT_EQ(
      list_item("ranks that are always slower: scalemark doctor --measure on their machines", 60),
      "- ranks that are always slower: scalemark doctor --measure\n  on their machines\n");
  const std::string json =
      "  \"about\": \"" + std::string(40, 'x') + " " + std::string(40, 'y') + "\"\n";
  EXPECT_EQ(folded(json, of_width(60)), json);
  const std::string version =
      "scalemark 0.9.0 (commit 0123456789ab; Release, GNU 12.2.0; built for torch 2.11, 2.15)";
  EXPECT_EQ(folded(version, of_width(60)),
            "scalemark 0.9.0 (commit 0123456789ab; Release, GNU 12.2.0;\n"
            "  built for torch 2.11, 2.15)");
}

TEST(Layout, APipeGetsEachLineWhole) {
  const std::string line(300, 'x');
  EXPECT_EQ(folded(line + " y\n", {}), line + " y\n");
}

TEST(Layout, InksTakeNoColumns) {
  const std::string line = "\x1b[1m" + std::string(60, 'x') + "\x1b[0m\n";
  EXPECT_EQ(folded(line, of_width(60)), line);
}

TEST(Layout, ATextIsShortenedBetweenWords) {
  EXPECT_EQ(shortened("one two three", 13), "one two three");
  EXPECT_EQ(shortened("one two three", 12), "one two ...");
  EXPECT_EQ(shortened("\xC3\xB6ne two three", 13), "\xC3\xB6ne two three");
  EXPECT_EQ(shortened("aword", 4), " ...");
  EXPECT_EQ(clipped("gr\xC3\xBC\xC3\x9F\n", 3), "gr\xC3\xBC");
}

}  // namespace
}  // namespace scalemark
