#include <gtest/gtest.h>

#include <string>

#include "core/base/strict_json.h"

namespace scalemark {
namespace {

std::string nested(int levels, const std::string& inside = "") {
  return std::string(static_cast<std::size_t>(levels), '[') + inside +
         std::string(static_cast<std::size_t>(levels), ']');
}

TEST(JsonDepth, IsTheDepthOfObjectsAndLists) {
  EXPECT_FALSE(nests_too_deep(nested(kDeepestJson)));
  EXPECT_TRUE(nests_too_deep(nested(kDeepestJson + 1)));
  EXPECT_TRUE(nests_too_deep(std::string(200'000, '{')));
  std::string wide = "[";
  for (int i = 0; i < 1000; ++i) wide += "{\"a\":[]},";
  EXPECT_FALSE(nests_too_deep(wide + "0]"));
}

TEST(JsonDepth, CountsNoBracketsWithinStrings) {
  const std::string many(1000, '[');
  EXPECT_FALSE(nests_too_deep("[\"" + many + "\"]"));
  EXPECT_FALSE(nests_too_deep("[\"a\\\"" + many + "\"]")) << "an escaped quote ends nothing";
  EXPECT_TRUE(nests_too_deep("[\"a\\\\\"," + many)) << "an escaped backslash escapes nothing";
}

}  // namespace
}  // namespace scalemark
