#include "claims/rows/cell.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "claims/rows/text_tables.h"

namespace scalemark::tables {
namespace {

Cell read(const std::string& text, char decimal = '.') {
  return read_cell(plain_text(text), {.sign = decimal, .sure = true});
}

TEST(Cells, GrantOneUnitOfTheLastDigit) {
  const auto rate = read("3,100 img/s").number(Unit::kRate).value();
  EXPECT_EQ(rate.value, 3100);
  EXPECT_EQ(rate.low(), 3099);
  EXPECT_EQ(rate.text, "3,100");
  EXPECT_DOUBLE_EQ(read("**12.4x**").number(Unit::kTimes)->low(), 12.3);
  EXPECT_DOUBLE_EQ(read("~ 98.50 %").number(Unit::kPercent)->unit, 0.01);
  EXPECT_EQ(read("310k").number()->unit, 1000);
  EXPECT_EQ(read("1.9e+04").number()->unit, 1000);
}

TEST(Cells, AreReadAsPeoplePrintThem) {
  struct Case {
    const char* text;
    double value;
    Unit unit;
  };
  const Case cases[] = {{"1 525 img/s", 1525, Unit::kRate},
                        {"1'525", 1525, Unit::kNone},
                        {"1\u2019525.5", 1525.5, Unit::kNone},
                        {"1_525", 1525, Unit::kNone},
                        {"1\u2009525", 1525, Unit::kNone},
                        {"1&nbsp;525", 1525, Unit::kNone},
                        {"12 GPUs", 12, Unit::kOther},
                        {"310k", 310'000, Unit::kNone},
                        {"1.57 k", 1570, Unit::kNone},
                        {"1.57 k img/s", 1570, Unit::kRate},
                        {"3.2 Mtok/s", 3.2e6, Unit::kRate},
                        {"181.2k img/min", 3020, Unit::kRate},
                        {"16 GB", 16, Unit::kOther},
                        {"120 GB/s", 120, Unit::kOther},
                        {"24/s", 24, Unit::kRate},
                        {"310 images per second", 310, Unit::kRate},
                        {"1.9e4", 19'000, Unit::kNone},
                        {"1.9 \u00d7 10^4", 19'000, Unit::kNone},
                        {"1.9\u00d710\u2074", 19'000, Unit::kNone},
                        {"$1.9 \\times 10^{4}$", 19'000, Unit::kNone},
                        {"10\u00b3", 1000, Unit::kNone},
                        {"0.30M", 300'000, Unit::kNone},
                        {"x9.33", 9.33, Unit::kTimes},
                        {"9.33\u00d7", 9.33, Unit::kTimes},
                        {"\u2265 310", 310, Unit::kNone},
                        {"\u2248310", 310, Unit::kNone},
                        {"[3021.9](log8.txt)", 3021.9, Unit::kNone},
                        {"<strong>3021.9</strong>", 3021.9, Unit::kNone},
                        {"\U0001F680 310", 310, Unit::kNone},
                        {"~~290~~ 310", 310, Unit::kNone},
                        {"<del>290</del> 310", 310, Unit::kNone},
                        {"310 (fp16)", 310, Unit::kNone},
                        {"412<br>(385)", 412, Unit::kNone},
                        {"310[^1]", 310, Unit::kNone},
                        {"310 \u2020", 310, Unit::kNone},
                        {"310 \u00b1 2 img/s", 310, Unit::kRate},
                        {"310 img/s +/- 2", 310, Unit::kRate},
                        {".98", 0.98, Unit::kNone},
                        {"2.5 h", 9000, Unit::kTime},
                        {"650 ms", 0.65, Unit::kTime},
                        {"12h 30m", 45'000, Unit::kTime},
                        {"1.5 days", 129'600, Unit::kTime},
                        {"1:20:00", 4800, Unit::kTime},
                        {"05:45:04", 20'704, Unit::kTime},
                        {"41:14", 2474, Unit::kTime},
                        {"2:10 h", 7800, Unit::kTime}};
  for (const Case& one : cases) {
    const Cell cell = read(one.text);
    ASSERT_EQ(cell.values.size(), 1u) << one.text;
    EXPECT_DOUBLE_EQ(cell.values[0].number.value, one.value) << one.text;
    EXPECT_EQ(static_cast<int>(cell.values[0].unit), static_cast<int>(one.unit)) << one.text;
  }
  EXPECT_DOUBLE_EQ(read("2.5").seconds(60)->value, 150);
  EXPECT_DOUBLE_EQ(read("2:10").seconds(3600)->value, 7800);
}

TEST(Cells, AreReadWholeOrNotAtAll) {
  for (const char* text : {"1,2,3",
                           "1/2/4/8",
                           "310-320",
                           "310 to 320",
                           "1.2.3",
                           "1,92,000",
                           "2x8",
                           "2 x 8",
                           "A100",
                           "TP=1",
                           "412.5 / 385",
                           "805<br>790",
                           "310 thousand img/s",
                           "310 (k)",
                           "4 of 8",
                           "1.571,2",
                           "412,5",
                           "3100 abc",
                           "1e",
                           "1.9e999",
                           "$5",
                           "310 \u00b1",
                           "12 34"}) {
    const Cell cell = read(text);
    EXPECT_TRUE(cell.values.empty()) << text;
    EXPECT_TRUE(cell.unread) << text;
  }
  for (const char* text : {"", "-", "n/a", "OOM", "\u2014", "~~290~~"})
    EXPECT_FALSE(read(text).unread) << text;
}

TEST(Cells, AFactorAndAShareAreTwoValues) {
  for (const char* text : {"1.95x (98%)", "1.95\u00d7 / 98 %", "1.95x, 98%", "1.95x<br>98%"}) {
    const Cell cell = read(text);
    ASSERT_EQ(cell.values.size(), 2u) << text;
    EXPECT_EQ(cell.values[0].number.value, 1.95) << text;
    EXPECT_EQ(cell.values[1].number.value, 98) << text;
  }
  EXPECT_TRUE(read("+95 %").values.at(0).gain);
}

TEST(Cells, TheDecimalSignIsThatOfTheTable) {
  EXPECT_EQ(read("1.571,2", ',').number()->value, 1571.2);
  EXPECT_EQ(read("412,5", ',').number()->value, 412.5);
  EXPECT_EQ(read("1,571", ',').number()->value, 1.571);
  EXPECT_EQ(read("1.571", ',').number()->value, 1571);
  EXPECT_TRUE(read("1.5", ',').unread);
  EXPECT_TRUE(read_cell("1.571", {.sign = '.', .sure = false}).unread);
  EXPECT_EQ(read_cell("1571", {.sign = '.', .sure = false}).number()->value, 1571);
}

}  // namespace
}  // namespace scalemark::tables
