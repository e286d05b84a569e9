#include "claims/import/log_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace scalemark::importing {
namespace {

TEST(LogText, ReadsNumbersAsLogsPrintThem) {
  EXPECT_EQ(number_at("1,234.5 img/s"), 1234.5);
  EXPECT_EQ(number_at("  -1e-3"), -0.001);
  EXPECT_EQ(number_at("8,16"), 8);  // a list
  EXPECT_EQ(number_at("1,234,567,"), 1234567);
  EXPECT_EQ(number_at(".5"), 0.5);
  for (const char* none : {"", "x", "nan", "inf", "-", "1e999", "- 5"})
    EXPECT_FALSE(number_at(none)) << none;
  EXPECT_EQ(number_after("step: 10  tps: 1,234  mfu", "tps: "), 1234);
  EXPECT_EQ(number_before("| 123.45 ms | 1234567 tok/s", " ms"), 123.45);
  EXPECT_EQ(number_before("| 123.45 ms | 1234567 tok/s", "tok/s"), 1234567);
  EXPECT_FALSE(number_before("tok/s", "tok/s"));
  EXPECT_EQ(count_of(8.0), 8);
  for (const double none : {0.0, -1.0, 0.5, 1e16}) EXPECT_FALSE(count_of(none)) << none;
}

TEST(LogText, TakesLinesOfProgressBarsAndColours) {
  std::vector<std::pair<std::string, std::size_t>> lines;
  for_each_line("\x1b[32mone\x1b[0m\r\n\n 5%\r 10% \nthree",
                [&](std::string_view line, std::size_t n) { lines.emplace_back(line, n); });
  const std::vector<std::pair<std::string, std::size_t>> expected = {
      {"one", 1}, {"5%", 3}, {"10%", 3}, {"three", 4}};
  EXPECT_EQ(lines, expected);
}

TEST(LogText, ReadsWhatPythonCallsJson) {
  const auto json =
      json_object(R"({"loss": NaN, "best": -Infinity, "text": "NaN \" Infinity", "n": 5})");
  ASSERT_TRUE(json);
  EXPECT_TRUE(json->at("loss").is_null());
  EXPECT_EQ(json->at("text"), "NaN \" Infinity");
  EXPECT_EQ(number_of(*json, "n"), 5);
  EXPECT_FALSE(number_of(*json, "best"));
  EXPECT_EQ(number_of(nlohmann::json("1.5")), 1.5);
  EXPECT_FALSE(number_of(nlohmann::json("1.5 s")));
  EXPECT_FALSE(json_object("[1]"));
  EXPECT_FALSE(json_object("{"));
  EXPECT_FALSE(json_object(std::string(100'000, '{')));
}

}  // namespace
}  // namespace scalemark::importing
