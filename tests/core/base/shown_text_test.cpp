// Texts of others reach a terminal without what it would act on.
#include <gtest/gtest.h>

#include "core/base/characters.h"
#include "core/base/error.h"
#include "core/base/host_name.h"

namespace scalemark {
namespace {

TEST(ShownText, KnowsWhatActs) {
  for (const std::string_view acts :
       {"\x1b", "\x07", "\n", "\t", "\r", "\x7f", "\xC2\x9B", "\xC2\x80", "\xD8\x9C",
        "\xE2\x80\x8E", "\xE2\x80\x8F", "\xE2\x80\xA8", "\xE2\x80\xA9", "\xE2\x80\xAA",
        "\xE2\x80\xAE", "\xE2\x81\xA6", "\xE2\x81\xA9"})
    EXPECT_EQ(acting_length(std::string(acts) + "x"), acts.size()) << acts;
  for (const std::string_view shows :
       {"a", " ", "~", "\xC2\xA0", "\xC3\xB6", "\xE2\x80\x93", "\xE2\x80\xA7", "\xE2\x80\xAF",
        "\xE6\xA9\x9F", "\xF0\x9F\x94\xA5", "\x9B", ""})
    EXPECT_EQ(acting_length(shows), 0u) << shows;
}

TEST(ShownText, HasBlanksInTheirPlace) {
  EXPECT_EQ(with_blanks("a\x1b[31mb\r\nc\xE2\x80\xAE"
                        "d\xC2\x9B"
                        "e"),
            "a [31mb  c d e");
  EXPECT_EQ(with_blanks("n\xC3\xB6"), "n\xC3\xB6");
}

TEST(ShownText, KeepsLinesTabsAndOurColours) {
  EXPECT_EQ(shown_text("\x1b[1mhead\x1b[0m\n\ta\x1b[8mb\x1b]0;t\x07"
                       "caf\xe9\r"),
            "\x1b[1mhead\x1b[0m\n\ta [8mb ]0;t caf\\xe9 ");
}

TEST(ShownText, IsEscapedInErrorLines) {
  EXPECT_EQ(on_one_line("a\nb\x1b[0m\xE2\x80\xAE\xC2\x9B"),
            "a\\nb\\x1b[0m\\xe2\\x80\\xae\\xc2\\x9b");
}

TEST(HostName, IsOneWordForEveryShell) {
  for (const char* name : {"n1", "gpu-node_07.cluster.example.org", "10.0.0.7", "N", "_x"})
    EXPECT_TRUE(is_host_name(name)) << name;
  for (const char* name : {"", "-x", "a b", "a\nb", "$(x)", "`x`", "a;b", "a'b", "n\xC3\xB6", "a/b",
                           "a,b", "n[1-3]", "~", "a\x1b"})
    EXPECT_FALSE(is_host_name(name)) << name;
  EXPECT_TRUE(is_host_name(host_name())) << host_name();
}

}  // namespace
}  // namespace scalemark
