#include "report/record/finding_kinds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "report/record/report_json.h"

namespace scalemark::reporting {
namespace {

std::string filled(const char* pattern, const AllNamed& values) {
  Wording wording;
  for (const Named& one : values) wording.add(one);
  return wording.filled(pattern).value_or("(absent)");
}

TEST(Wording, FillsNumbersByTheirFormats) {
  EXPECT_EQ(filled("{a} {a:2} {a:s3} {a:%} {a:p1} {a:+p0}", {{"a", 0.12345}}),
            "0.12345 0.12 0.123 12.3 % 12.3 +12");
  EXPECT_EQ(filled("{a} {a:0}", {{"a", std::int64_t{12'345'678'901}}}), "12345678901 12345678901");
  EXPECT_EQ(filled("{a:~} {b:~}", {{"a", 0.333}, {"b", 1.25}}), "0.33 1.2");
  EXPECT_EQ(filled("{a#run} {b#run} {a?is/are} {b?is/are}", {{"a", 1}, {"b", 3}}),
            "1 run 3 runs is are");
  EXPECT_EQ(filled("{a}{b}", {{"a", "x"}, {"b", std::optional<double>()}}), "(absent)");
}

TEST(Wording, OfSeveralNumbersGivesTheRange) {
  EXPECT_EQ(filled("{a:~} of {b#CPU}", {{"a", 0.95}, {"a", 1.68}, {"b", 2}, {"b", 2}}),
            "0.9 to 1.7 of 2 CPUs");
  EXPECT_EQ(filled("{a:%}", {{"a_least", 0.1}, {"a_most", 0.3}}), "10.0 % to 30.0 %");
  EXPECT_EQ(filled("{a:%}", {{"a_least", 0.1}, {"a_most", 0.1001}}), "10.0 %");
}

TEST(Wording, LeavesOutWhatIsAbsentAndTakesTheFirstThatIsThere) {
  const char* pattern = "[{a} and {b}|only {b}[ of {c}]|none]";
  EXPECT_EQ(filled(pattern, {{"a", 1}, {"b", 2}}), "1 and 2");
  EXPECT_EQ(filled(pattern, {{"b", 2}}), "only 2");
  EXPECT_EQ(filled(pattern, {{"b", 2}, {"c", "three"}}), "only 2 of three");
  EXPECT_EQ(filled(pattern, {{"a", 1}}), "none");
  EXPECT_EQ(filled("x[{+a} with {b}]", {{"b", 2}}), "x");
}

// Names in a template, and whether its brackets close.
std::vector<std::string> names_in(std::string_view pattern) {
  std::vector<std::string> names;
  int open = 0;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    open += pattern[at] == '[' ? 1 : pattern[at] == ']' ? -1 : 0;
    EXPECT_GE(open, 0) << pattern;
    if (pattern[at] != '{') continue;
    const std::size_t begin = at + (pattern[at + 1] == '+' ? 2 : 1);
    names.emplace_back(pattern.substr(begin, pattern.find_first_of(":#?}", begin) - begin));
    at = pattern.find('}', at);
    if (at == std::string_view::npos) break;
  }
  EXPECT_EQ(open, 0) << pattern;
  return names;
}

// Where all names are there, every template is filled, and nothing of its signs is left.
TEST(FindingList, HoldsTemplatesThatCanBeFilled) {
  for (const FindingKind& kind : all_finding_kinds()) {
    EXPECT_TRUE(*kind.said_when && *kind.text) << kind.code;
    EXPECT_TRUE(!*kind.said_by || find_finding_kind(kind.said_by) ||
                kind.said_by == std::string_view("incomplete"))
        << kind.code;
    for (const char* pattern : {kind.text, kind.brief, kind.remedy}) {
      AllNamed numbers;
      for (const std::string& name : names_in(pattern)) numbers.emplace_back(name.c_str(), 1);
      const std::string text = filled(pattern, numbers);
      EXPECT_EQ(text.find_first_of("{}[]|"), std::string::npos) << kind.code << ": " << text;
      EXPECT_EQ(text.empty(), !*pattern) << kind.code;
    }
    // The verdict has words, too, for a finding that an earlier version wrote.
    Finding before{.code = kind.code, .text = "as it stands"};
    before.place = FindingPlace{.rank = 1, .host = "n1", .device = "cuda:0"};
    EXPECT_FALSE(brief_text(before).empty()) << kind.code;
  }
}

TEST(FindingList, KeepsValuesThroughJson) {
  Report report;
  report.findings.push_back(make_finding(finding_kinds::straggler, "",
                                         {{"by_least", 0.2},
                                          {"by_most", 0.3},
                                          {"points", "a, b"},
                                          {"odd", std::numeric_limits<double>::quiet_NaN()}},
                                         FindingPlace{.rank = 3, .host = "n7"}));
  const Finding read = report_from_json(to_json(report), "it").findings.front();
  EXPECT_EQ(read.text,
            "rank 3 (n7) needs 20.0 % to 30.0 % more time of its own than the median of the "
            "others, in every run: a, b");
  EXPECT_EQ(read.values, (std::map<std::string, double>{{"by_least", 0.2}, {"by_most", 0.3}}));
  EXPECT_EQ(read.words, (std::map<std::string, std::string>{{"points", "a, b"}}));
  EXPECT_EQ(brief_text(read),
            "rank 3 (n7) needs 20.0 % to 30.0 % more time of its own than the median of the "
            "others, in every run");
  Finding before = read;
  before.values.clear();
  before.words.clear();
  EXPECT_EQ(brief_text(before),
            "rank 3 (n7) needs more time of its own than the median of the others, in every run");
}

TEST(FindingList, MergesPlacesAndRuns) {
  Finding all = make_finding(finding_kinds::shared, "a", {{"others", 1.5}, {"cpus", 2}});
  for (const double others : {1.0, 1.7, 1.2}) {
    merge_values(all, make_finding(finding_kinds::shared, "b", {{"others", others}, {"cpus", 2}}));
  }
  EXPECT_EQ(all.values,
            (std::map<std::string, double>{
                {"cpus", 2}, {"others", 1.5}, {"others_least", 1}, {"others_most", 1.7}}));
  EXPECT_EQ(brief_text(all), "other programs used 1.0 to 1.7 of 2 CPUs");
}

}  // namespace
}  // namespace scalemark::reporting
