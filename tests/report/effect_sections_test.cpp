#include <gtest/gtest.h>

#include "report/say/render/render.h"
#include "report/say/render/sections/sweep_sections.h"
#include "report/say/words/words.h"
#include "tests/report/sample_report.h"

namespace scalemark::reporting {
namespace {

TEST(EffectSections, OnlyThoseWithContent) {
  EXPECT_TRUE(effect_sections({}).empty());
  Report report = sample_report(2, true);
  const auto sections = effect_sections(report);
  ASSERT_EQ(sections.size(), 3u);
  EXPECT_EQ(sections[0].lines.at(0), "fastest: bucket_cap_mb 100");
  EXPECT_EQ(sections[2].lines.at(0), "communication stays below 30 %");
  std::map<std::string, std::string> row;
  for (const Column& column : sections[1].columns) row[column.head[0]] = column.cells.at(0);
  EXPECT_EQ(row, (std::map<std::string, std::string>{{"option", "bucket_cap_mb"},
                                                     {"value", "100"},
                                                     {"against", "25"},
                                                     {"at", ""},
                                                     {"ranks", "2"},
                                                     {"pairs", "5"},
                                                     {"faster by %", "+2.8  (+1.4 to +4.2)"},
                                                     {"memory", "-1"},
                                                     {"payload", "-"},
                                                     {"verdict", "real"}}));
}

TEST(EffectSections, InTheConsoleAndInMarkdown) {
  const Report report = sample_report(2, true);
  const std::span<const Report> one(&report, 1);
  for (const std::string& text : {render_console(one), render_markdown(one)}) {
    for (const char* part : {"What options give", "+2.8  (+1.4 to +4.2)", "Tuning",
                             "communication stays below 30 %"}) {
      EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
    }
  }
}

// Each option is a family of its own: four of them call something real in up to 4 x 5 %.
TEST(EffectSections, SayHowManyOptionsWereTested) {
  Report report = sample_report(2, true);
  const auto counts_options = [&] {
    const std::string text = render(Format::kMarkdown, {&report, 1});
    return text.find("options were looked at, each tested by itself at 5 %") != std::string::npos;
  };
  EXPECT_FALSE(counts_options()) << "one option";
  report.effects.push_back(report.effects.front());
  report.effects.back().axis = "precision";
  EXPECT_TRUE(counts_options());
  EXPECT_EQ(axes_looked_at(report.effects),
            "2 options were looked at, each tested by itself at 5 %: up to 10 % of sweeps without "
            "any effect call one of them real");
}

TEST(EffectsCsv, OneLinePerEffect) {
  const Report report = sample_report(2, true);
  const std::string text = render(Format::kEffects, {&report, 1});
  EXPECT_TRUE(
      text.starts_with("run_id,fixed,group_from,group_to,axis,from,to,pairs,ratio,"
                       "ratio_ci95_low,ratio_ci95_high,p_holm,verdict,"
                       "memory_delta_bytes,"))
      << text;
  EXPECT_NE(text.find("\r\nrun-1,world_size=2,p0,p1,bucket_cap_mb,25,100,5,1.028,1.014,1.042,"
                      "0.004,real,-1048576,"),
            std::string::npos)
      << text;
  EXPECT_EQ(file_name(Format::kEffects), "report.effects.csv");
}

}  // namespace
}  // namespace scalemark::reporting
