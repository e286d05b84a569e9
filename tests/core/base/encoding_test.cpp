#include <gtest/gtest.h>

#include <utility>

#include "core/base/characters.h"

namespace scalemark {
namespace {

TEST(Encoding, BytesThatAreNoUtf8AreNamed) {
  for (const char* good : {"", "plain", "caf\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"}) {
    EXPECT_TRUE(is_utf8(good)) << good;
    EXPECT_EQ(as_utf8(good), good);
  }
  // Latin-1, cut, too long for what it says, half of a pair, beyond the last one.
  for (const auto& [bad, named] : {std::pair{"caf\xe9", "caf\\xe9"},
                                   {"\xe2\x82", "\\xe2\\x82"},
                                   {"\xc0\xaf", "\\xc0\\xaf"},
                                   {"\xed\xa0\x80", "\\xed\\xa0\\x80"},
                                   {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}}) {
    EXPECT_FALSE(is_utf8(bad)) << named;
    EXPECT_EQ(as_utf8(bad), named);
  }
}

TEST(Encoding, CodePointsTakeOneToFourBytes) {
  std::string text;
  for (const char32_t c : {U'a', U'\u00E9', U'\u20AC', U'\U0001F600'}) append_utf8(c, text);
  EXPECT_EQ(text, "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
}

TEST(Encoding, WideEncodingsAreSeenWithTheirMarkAndWithout) {
  using namespace std::string_view_literals;
  EXPECT_EQ(wide_encoding_of("\xff\xfe{\0"sv), "UTF-16");
  EXPECT_EQ(wide_encoding_of("\xfe\xff\0{"sv), "UTF-16");
  EXPECT_EQ(wide_encoding_of("{\0\n\0"sv), "UTF-16LE");
  EXPECT_EQ(wide_encoding_of("\0{\0\n"sv), "UTF-16BE");
  EXPECT_EQ(wide_encoding_of("\xff\xfe\0\0{\0\0\0"sv), "UTF-32");
  EXPECT_EQ(wide_encoding_of("\0\0\0{"sv), "UTF-32BE");
  for (const auto narrow : {"{\n  "sv, "\xef\xbb\xbf{"sv, ""sv, "{"sv, "caf\xe9"sv})
    EXPECT_EQ(wide_encoding_of(narrow), "");
}

}  // namespace
}  // namespace scalemark
