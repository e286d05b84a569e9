// A table written in many forms gives the same rows, or cells that are told as unread: never other
// numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "claims/rows/table_files.h"
#include "core/base/error.h"

namespace scalemark::tables {
namespace {

struct True {
  double gpus, rate, speedup;
};
struct Truth {
  std::vector<True> rows;
  int rate_decimals, speedup_decimals;
};

const std::vector<Truth> kTruths = {
    {{{1, 398.5, 1}, {2, 779.0, 1.95}, {4, 1514.6, 3.80}, {8, 2910.7, 7.30}}, 1, 2},
    {{{1, 1.234, 1}, {2, 2.406, 1.950}, {8, 9.015, 7.306}}, 3, 3},
    {{{8, 1204, 1}, {16, 2361, 1.96}, {1024, 141230, 117.3}}, 0, 2},
    {{{1, 310, 1}, {2, 612, 2}, {4, 1203, 3.9}}, 0, 1},
    {{{1, 24113.25, 1}, {4, 94020.5, 3.9}, {16, 1364871.75, 56.6}}, 2, 1},
    {{{2, 1571.125, 1}, {4, 3021.375, 1.923}, {8, 6002.250, 3.820}}, 3, 3}};

std::string digits(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

// Groups thousands by a sign, and takes another decimal sign.
std::string with_groups(const std::string& number, const std::string& sign,
                        const char* decimal = ".") {
  const std::size_t point = std::min(number.find('.'), number.size());
  std::string all;
  for (std::size_t i = 0; i < point; ++i) {
    if (i > 0 && (point - i) % 3 == 0) all += sign;
    all += number[i];
  }
  return point == number.size() ? all : all + decimal + number.substr(point + 1);
}

// 1,41,230: groups of two before the last three.
std::string in_lakhs(const std::string& number) {
  const std::size_t point = std::min(number.find('.'), number.size());
  std::string all;
  for (std::size_t i = 0; i < point; ++i) {
    const std::size_t left = point - i;
    if (i > 0 && (left == 3 || (left > 3 && left % 2 == 1))) all += ',';
    all += number[i];
  }
  return all + number.substr(point);
}

std::string power_of(double value, const char* times, int decimals) {
  const int power = value >= 1 ? static_cast<int>(std::log10(value)) : 0;
  return digits(value / std::pow(10.0, power), decimals + power) + times + std::to_string(power);
}

using Write = std::function<std::string(double, int)>;

// Forms of a number. Each writes all digits that the true number has.
const std::vector<std::pair<const char*, Write>> kNumbers = {
    {"plain", [](double v, int d) { return digits(v, d); }},
    {"commas", [](double v, int d) { return with_groups(digits(v, d), ","); }},
    {"blanks", [](double v, int d) { return with_groups(digits(v, d), " "); }},
    {"thin blanks", [](double v, int d) { return with_groups(digits(v, d), "\u2009"); }},
    {"narrow blanks", [](double v, int d) { return with_groups(digits(v, d), "\u202F"); }},
    {"entities", [](double v, int d) { return with_groups(digits(v, d), "&nbsp;"); }},
    {"apostrophes", [](double v, int d) { return with_groups(digits(v, d), "'"); }},
    {"curved", [](double v, int d) { return with_groups(digits(v, d), "\u2019"); }},
    {"underscores", [](double v, int d) { return with_groups(digits(v, d), "_"); }},
    {"german", [](double v, int d) { return with_groups(digits(v, d), ".", ","); }},
    {"french", [](double v, int d) { return with_groups(digits(v, d), "\u202F", ","); }},
    {"decimal commas", [](double v, int d) { return with_groups(digits(v, d), "", ","); }},
    {"bold", [](double v, int d) { return "**" + digits(v, d) + "**"; }},
    {"italic", [](double v, int d) { return "_" + digits(v, d) + "_"; }},
    {"code", [](double v, int d) { return "`" + digits(v, d) + "`"; }},
    {"strong", [](double v, int d) { return "<strong>" + digits(v, d) + "</strong>"; }},
    {"link", [](double v, int d) { return "[" + digits(v, d) + "](run-17.log)"; }},
    {"struck", [](double v, int d) { return "~~17~~ " + digits(v, d); }},
    {"deleted", [](double v, int d) { return "<del>9</del>" + digits(v, d); }},
    {"formula", [](double v, int d) { return "$" + digits(v, d) + "$"; }},
    {"rocket", [](double v, int d) { return digits(v, d) + " \U0001F680"; }},
    {"about", [](double v, int d) { return "\u2248 " + digits(v, d); }},
    {"at least", [](double v, int d) { return "\u2265" + digits(v, d); }},
    {"e", [](double v, int d) { return power_of(v, "e", d); }},
    {"e+", [](double v, int d) { return power_of(v, "E+", d); }},
    {"times ten", [](double v, int d) { return power_of(v, " x 10^", d); }},
    {"raised", [](double v, int d) { return power_of(v, "\u00D710<sup>", d) + "</sup>"; }},
    {"k", [](double v, int d) { return digits(v / 1000, d + 3) + "k"; }},
    {"k behind a blank", [](double v, int d) { return digits(v / 1000, d + 3) + " K"; }},
    {"spread", [](double v, int d) { return digits(v, d) + " \u00B1 0.3"; }},
    {"note", [](double v, int d) { return digits(v, d) + " (2 runs)"; }},
    {"foot mark", [](double v, int d) { return digits(v, d) + "[^2]"; }},
    {"second line", [](double v, int d) { return digits(v, d) + "<br>measured"; }},
    {"dagger", [](double v, int d) { return digits(v, d) + "\u2020"; }},
    // These cannot be read, and must not be read in part.
    {"indian", [](double v, int d) { return in_lakhs(digits(v, d)); }},
    {"range", [](double v, int d) { return digits(v, d) + "-" + digits(v * 1.1, d); }},
    {"thousand", [](double v, int d) { return digits(v / 1000, d + 3) + " thousand"; }},
    {"list", [](double v, int d) { return digits(v, d) + "/" + digits(2 * v, d); }},
    {"second number", [](double v, int d) { return digits(v, d) + "<br>" + digits(v - 1, d); }},
};

using Sheet = std::vector<std::vector<std::string>>;  // the first row has the headers

std::string lines(const Sheet& cells, const char* begin, const char* between, const char* end) {
  std::string text;
  for (const auto& row : cells) {
    text += begin;
    for (std::size_t c = 0; c < row.size(); ++c) text += (c > 0 ? between : "") + row[c];
    text += end;
  }
  return text;
}

std::string with_rule(std::string text, const std::string& rule) {
  return text.insert(text.find('\n') + 1, rule + "\n");
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::string html_of(const Sheet& cells) {
  return "<h1>Runs</h1><table>" + lines(cells, "<tr><td>", "</td><td>", "</td></tr>\n") +
         "</table>";
}

std::string wide_of(const Sheet& cells) {
  std::string text;
  for (std::size_t c = 0; c < cells[0].size(); ++c) {
    for (const auto& row : cells) text += "| " + row[c] + " ";
    text += "|\n";
    if (c == 0) text += replaced(std::string(cells.size(), '-'), "-", "|---") + "|\n";
  }
  return text;
}

std::string aligned_of(const Sheet& cells) {
  std::string text;
  for (const auto& row : cells) {
    for (const std::string& cell : row)
      text += cell + std::string(2 + (cell.size() < 24 ? 24 - cell.size() : 0), ' ');
    text += "\n";
  }
  return text;
}

struct Layout {
  const char* name;
  const char* file;
  std::function<std::string(const Sheet&)> write;
};
const std::vector<Layout> kLayouts = {
    {"pipes", "t.md",
     [](const Sheet& c) { return with_rule(lines(c, "|", "|", "|\n"), "|-|-|-|"); }},
    {"quoted", "t.md",
     [](const Sheet& c) { return with_rule(lines(c, "> |", "|", "|\n"), "> |-|-|-|"); }},
    {"psql", "t.txt",
     [](const Sheet& c) { return with_rule(lines(c, " ", " | ", "\n"), "---+---+---"); }},
    {"semicolons", "t.csv", [](const Sheet& c) { return lines(c, "\"", "\";\"", "\"\r\n"); }},
    {"sep", "t.csv", [](const Sheet& c) { return "sep=;\n" + lines(c, "\"", "\";\"", "\"\n"); }},
    {"commas", "t.csv", [](const Sheet& c) { return lines(c, "\"", "\",\"", "\"\n"); }},
    {"remarks", "t.csv",
     [](const Sheet& c) { return "# driver 550, NCCL 2\n\n" + lines(c, "\"", "\",\"", "\"\n"); }},
    {"old Mac", "t.csv", [](const Sheet& c) { return lines(c, "\"", "\",\"", "\"\r"); }},
    {"tabs", "t.tsv", [](const Sheet& c) { return "\xEF\xBB\xBF" + lines(c, "", "\t", "\n"); }},
    {"html", "t.html", html_of},
    {"wide", "t.md", wide_of},
    {"aligned", "t.txt", aligned_of}};

bool is_same(double a, double b) { return std::fabs(a - b) <= 1e-9 * std::fabs(b); }

// How many of the rows were read; fails where one of them is another one.
std::size_t rows_that_are_right(const std::string& text, const char* file, const Truth& truth) {
  std::vector<Table> tables;
  try {
    tables = read_tables(text, file);
  } catch (const Error& error) {
    EXPECT_EQ(error.record().exit_code, ExitCode::kBadData);
    return 0;
  }
  std::size_t right = 0;
  for (const Table& table : tables) {
    for (const Row& row : table.rows) {
      const auto same = std::ranges::find_if(
          truth.rows, [&](const True& one) { return row.gpus && is_same(*row.gpus, one.gpus); });
      EXPECT_NE(same, truth.rows.end()) << row.gpus.value_or(0) << " GPUs\n" << text;
      if (same == truth.rows.end()) continue;
      const bool rate = row.rate && is_same(row.rate->value, same->rate);
      const bool speedup = row.speedup && is_same(row.speedup->value, same->speedup);
      EXPECT_TRUE(rate || !row.rate) << row.rate->value << "\n" << text;
      EXPECT_TRUE(speedup || !row.speedup) << row.speedup->value << "\n" << text;
      EXPECT_TRUE((rate && speedup) || table.unread.cells > 0) << text;
      right += rate && speedup;
    }
  }
  return right;
}

TEST(Forms, OfATableGiveItsRowsOrUnreadCells) {
  std::size_t right = 0, all = 0;
  for (const Truth& truth : kTruths) {
    for (const auto& [name, write] : kNumbers) {
      Sheet cells{{"GPUs", "img/s", "Speedup"}};
      for (const True& row : truth.rows) {
        cells.push_back({digits(row.gpus, 0), write(row.rate, truth.rate_decimals),
                         write(row.speedup, truth.speedup_decimals)});
      }
      for (const Layout& layout : kLayouts) {
        SCOPED_TRACE(std::string(name) + ", " + layout.name);
        right += rows_that_are_right(layout.write(cells), layout.file, truth);
        all += truth.rows.size();
      }
    }
  }
  // Five forms are for no one to read, and some hold no sign of their decimals.
  EXPECT_GE(static_cast<double>(right) / static_cast<double>(all), 0.8) << right << " of " << all;
}

TEST(Forms, UnitsOfCellsCount) {
  for (const Truth& truth : kTruths) {
    std::string list, text = "|GPUs|Throughput|Speedup|\n|-|-|-|\n";
    for (const True& row : truth.rows) {
      const std::string rate = digits(row.rate, truth.rate_decimals),
                        speedup = digits(row.speedup, truth.speedup_decimals) + "x";
      list += "- " + digits(row.gpus, 0) + " GPUs: " + rate + " img/s, " + speedup + "\n";
      text += "|" + digits(row.gpus, 0) + "|" +
              (row.gpus > 4 ? digits(60 * row.rate, 3) + " img/min" : rate + " img/s") + "|" +
              speedup + "|\n";
    }
    EXPECT_EQ(rows_that_are_right(list, "t.txt", truth), truth.rows.size()) << list;
    EXPECT_EQ(rows_that_are_right(text, "t.md", truth), truth.rows.size()) << text;
  }
}

}  // namespace
}  // namespace scalemark::tables
