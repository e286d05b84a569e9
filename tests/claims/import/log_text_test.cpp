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
  LogText("\x1b[32mone\x1b[0m\r\n\n 5%\r 10% \nthree").for_each_line([&](const Line& line) {
    lines.emplace_back(line.text, line.number);
  });
  const std::vector<std::pair<std::string, std::size_t>> expected = {
      {"one", 1}, {"5%", 3}, {"10%", 3}, {"three", 4}};
  EXPECT_EQ(lines, expected);
}

// A prefix is what most lines share; a word before a colon in one of them is none.
TEST(LogText, TakesOffWhatMostLinesShare) {
  const auto texts = [](const std::string& text) {
    std::string all;
    LogText(text).for_each_line([&](const Line& line) {
      all += std::string(line.source) + ">" + std::to_string(line.rank) + ">" +
             std::string(line.text) + "|";
    });
    return all;
  };
  EXPECT_EQ(texts("n1: a\nn1: b\nn2: c\nn2: d\n"), "n1>1>a|n1>1>b|n2>2>c|n2>2>d|");
  EXPECT_EQ(texts("n1: a\nb\nc\n"), ">-1>n1: a|>-1>b|>-1>c|");
  EXPECT_EQ(texts("1: a\n2: b\n3: c\n4: d\n"), ">-1>1: a|>-1>2: b|>-1>3: c|>-1>4: d|");
  EXPECT_EQ(texts("Train: 1\nTrain: 2\n"), ">-1>Train: 1|>-1>Train: 2|");
  EXPECT_EQ(texts("[rank3]:a\nb\nc\n"), "rank3>3>a|>-1>b|>-1>c|");
  EXPECT_EQ(texts("10:11:12 [1,3]<stdout>:2: a\n"), "2>2>a|");
  EXPECT_EQ(texts("[1,3]<stdout>:a b[1,3]<stdout>: c [1,3]<stderr>:d\n"), "1,3>3>a b c d|");
  EXPECT_EQ(texts("1048576 262144\n10:11:12<00:05\n00:01:02x\n"),
            ">-1>1048576 262144|>-1>10:11:12<00:05|>-1>00:01:02x|");
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
