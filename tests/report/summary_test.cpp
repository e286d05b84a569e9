// The answer as Markdown and the badge travel without their report.
#include <gtest/gtest.h>

#include <regex>
#include <span>

#include "core/base/error.h"
#include "report/record/verdict.h"
#include "report/say/render/answer/answer.h"
#include "report/say/render/render.h"
#include "tests/report/sample_sweep.h"

namespace scalemark::reporting {
namespace {

Report sweep_of_two_ranks(int repetitions) {
  return sample_sweep({.world_sizes = {1, 2},
                       .batch_sizes = {64},
                       .repetitions = repetitions,
                       .slow_rank = std::nullopt,
                       .real_data = false});
}

std::string of_others(std::span<const Report> reports) {
  return std::to_string(reports.size()) + " of theirs";
}

TEST(Summary, IsTheAnswerAsMarkdownThatMeansSomethingElsewhere) {
  Report report = sweep_of_two_ranks(3);
  report.invocation.command_line = "scalemark sweep --quick";
  report.started = "2026-11-30T04:05:51Z";
  report.tool.version = "1.2.3";
  report.tool.git_commit = "abc";
  const std::vector<Report> shown{for_people(report)};
  const std::string text = summaries_of(shown, {.published = of_others});
  // One sentence says what was found, how surely, and whether it may be quoted.
  EXPECT_TRUE(std::regex_search(
      text, std::regex("^\\*\\*2 ranks give 1\\.[0-9]+x of the 2\\.00x that would be ideal: "
                       "efficiency [0-9.]+ % \\(95 %: [0-9.]+ to [0-9.]+\\)\\*\\*; quote with "
                       "care: [^\n]+\n\n\\*\\*resnet50, ")))
      << text;
  EXPECT_NE(text.find("\n- why not 2 x: 2.00x -> 1."), text.npos) << text;
  EXPECT_NE(text.find("\n| ranks | images/s | speed-up | efficiency (95 %) |\n"), text.npos)
      << text;
  EXPECT_NE(text.find("\n- 1 of theirs\n"), text.npos) << text;
  EXPECT_NE(text.find("\n- **!** "), text.npos) << text;
  EXPECT_NE(text.find("- with intervals: `scalemark sweep`\n"), text.npos) << text;
  EXPECT_NE(text.find("scalemark 1.2.3 (abc), " + machine_line(report) + ", 2026-11-30\n"),
            text.npos)
      << text;
  EXPECT_EQ(text.find("--details"), text.npos) << "its reader has no such folder";
}

TEST(Summary, CommandsStayCommands) {
  Report report = sweep_of_two_ranks(1);
  report.invocation.command_line = "scalemark sweep --quick --data 'a`b``c # d'";
  const std::string text = summaries_of(for_people({&report, 1}));
  EXPECT_NE(text.find("``` scalemark sweep --data 'a`b``c # d' ```\n"), text.npos) << text;
}

TEST(Badge, SaysTheAnswerAndMayItBeQuoted) {
  Report report = sweep_of_two_ranks(3);
  report.findings.clear();
  const auto badge = [&](VerdictLevel level) {
    report.verdict = {.level = level};
    return render_badge({&report, 1});
  };
  const std::string good = badge(VerdictLevel::kQuotable);
  EXPECT_TRUE(std::regex_search(
      good,
      std::regex(">2 ranks 1\\.[0-9]+x, [0-9.]+ % \\([0-9.]+ to [0-9.]+\\), quotable</text>")))
      << good;
  EXPECT_NE(badge(VerdictLevel::kWithCare).find(", quote with care<"), std::string::npos);
  const std::string bad = badge(VerdictLevel::kDoNotQuote);
  EXPECT_NE(bad.find(">do not quote</text>"), std::string::npos) << bad;
  EXPECT_EQ(bad.find("1."), std::string::npos) << "no number of it\n" << bad;
  EXPECT_THROW(render_badge({}), Error);
}

}  // namespace
}  // namespace scalemark::reporting
