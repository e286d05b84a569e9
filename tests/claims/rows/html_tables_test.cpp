#include "claims/rows/html_tables.h"

#include <gtest/gtest.h>

#include <string>

#include "claims/rows/text_tables.h"

namespace scalemark::tables {
namespace {

TEST(HtmlSigns, EntitiesAreCharacters) {
  EXPECT_EQ(entity_at("&amp;x").first, "&");
  EXPECT_EQ(entity_at("&#215;").first, "\xC3\x97");
  EXPECT_EQ(entity_at("&#xD7;").first, "\xC3\x97");
  EXPECT_EQ(entity_at("&nbsp;").first, " ");
  for (const char* text : {"&", "&;", "&nosuch;", "&#x;", "&#99999999999999999999;"})
    EXPECT_EQ(entity_at(text).second, 1u) << text;
}

TEST(HtmlSigns, ATagEndsAtTheNextSign) {
  EXPECT_EQ(tag_at("<TD colspan=2>x")->name, "td");
  EXPECT_EQ(tag_at("</td >")->name, "/td");
  EXPECT_EQ(span_of(" colspan=\"3\" rowspan='2'", "rowspan"), 2u);
  EXPECT_EQ(span_of(" colspan=\"\" width=100", "colspan"), 1u);
  for (const char* text : {"< 5", "<", "<a <b>", "<5>"}) EXPECT_FALSE(tag_at(text)) << text;
}

TEST(HtmlTables, HeadersCellsAndHeadings) {
  const auto tables = html_tables(
      "# Results\n\nIn <i>images/s</i>.\n\n<table>\n<tr><th>GPUs</th><th>img/s</th></tr>\n"
      "<tr><td>1</td><td><b>3&#44;100</b><br>new</td></tr>\n<tr><td>8<td>24&nbsp;000\n</table>\n");
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].name, "Results");
  EXPECT_EQ(tables[0].caption, "In images/s.");
  EXPECT_EQ(tables[0].header, (Cells{"GPUs", "img/s"}));
  EXPECT_EQ(tables[0].rows.at(0), (Cells{"1", "3,100\nnew"}));
  EXPECT_EQ(tables[0].rows.at(1), (Cells{"8", "24 000"}));
  EXPECT_EQ(tables[0].places.at(1), "line 8");
}

TEST(HtmlTables, SpansOfRowsAndHeadersAreFilled) {
  const auto tables = html_tables(
      "<h2>A &amp; B</h2><table><thead><tr><th rowspan=2>Model</th><th colspan=2>img/s</th></tr>"
      "<tr><th>1 GPU</th><th>8 GPUs</th></tr></thead><tbody>"
      "<tr><td rowspan=2>R</td><td>10</td><td>70</td></tr><tr><td>11</td><td>80</td></tr>"
      "<tr><td>S</td><td colspan=2>out of memory</td></tr></tbody></table>");
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].name, "A & B");
  EXPECT_EQ(tables[0].header, (Cells{"Model", "img/s 1 GPU", "img/s 8 GPUs"}));
  EXPECT_EQ(tables[0].rows.at(1), (Cells{"R", "11", "80"}));
  EXPECT_EQ(tables[0].rows.at(2), (Cells{"S", "out of memory", ""}));
  EXPECT_EQ(tables[0].places.at(1), "line 1, row 4");
}

TEST(HtmlTables, OnlyTheInnermostOfNestedTablesIsRead) {
  const auto tables = html_tables(
      "<table><tr><td><table><tr><th>a</th></tr><tr><td>1</td></tr></table></td></tr></table>");
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].header, Cells{"a"});
}

TEST(HtmlTables, CommentsAndScriptsHoldNoTables) {
  const std::string table = "<table><tr><th>a</th></tr><tr><td>1</td></tr></table>";
  EXPECT_TRUE(html_tables("<!-- " + table + " -->").empty());
  EXPECT_TRUE(html_tables("<script>" + table + "</script>").empty());
  EXPECT_EQ(html_tables("<!-- x -->" + table + "<!-- " + table).size(), 1u);
}

std::string repeated(const std::string& text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

// Each would need minutes or gigabytes if it cost more than its length.
TEST(HtmlTables, HostileTextsCostNoMoreThanTheirLength) {
  constexpr std::size_t kMany = 300'000;
  for (const char* text :
       {"<", "<!--", "<table>", "<table><tr><td>", "<td>", "<tr>", "&#", "<a \"", "<h1>", "\n#",
        "<script>", "</table>", "<table><tr><th>a<tr><td>1</table>"}) {
    html_tables(repeated(text, kMany));
  }
  html_tables("<table><tr><th colspan=100 rowspan=5000>" + repeated("long ", 1000) +
              repeated("<tr><td rowspan=5000 colspan=100>1", kMany));
}

}  // namespace
}  // namespace scalemark::tables
