#include <gtest/gtest.h>

#include <algorithm>

#include "report/say/render/figures/plot.h"
#include "tests/report/sample_sweep.h"

namespace scalemark::reporting {
namespace {

TEST(Figures, LossesLeadFromTheIdealToTheMeasured) {
  const Report report = sample_sweep({});
  std::size_t falls = 0;
  for (Plot plot : plots_of(report)) {
    if (plot.name != "why-not-more") continue;
    SCOPED_TRACE(plot.chosen);
    ++falls;
    EXPECT_EQ(plot.value.from, 0);
    EXPECT_EQ(plot.series.back().name, "95 % interval");
    for (const PlotMark& mark : plot.series.back().marks) {
      EXPECT_LE(*mark.low, *mark.value) << mark.tip;
      EXPECT_GE(*mark.high, *mark.value) << mark.tip;
    }
    EXPECT_EQ(plot.series.back().marks.back().at, plot.at.names.size() - 1) << "of the speed-up";
    plot.series.pop_back();
    ASSERT_GE(plot.series.size(), 3u);
    double level = *plot.series.front().marks.front().high;
    EXPECT_EQ(*plot.series.front().marks.front().low, 0);
    for (std::size_t i = 1; i + 1 < plot.series.size(); ++i) {
      const PlotMark& bar = plot.series[i].marks.front();
      EXPECT_EQ(*bar.value < 0 ? *bar.high : *bar.low, level) << "begins where the one before ends";
      EXPECT_EQ(plot.series[i].color, *bar.value > 0 ? "good" : "bad");
      level += *bar.value;
    }
    const PlotMark& measured = plot.series.back().marks.front();
    EXPECT_NEAR(level, *measured.high, 1e-9 * *measured.high);
    EXPECT_EQ(*measured.low, 0);
  }
  EXPECT_GE(falls, 9u) << "of three sizes and three batches each";
}

TEST(Figures, SayBelowWhetherTheyMayBeQuoted) {
  Report report = sample_sweep({});
  for (const auto& [level, words] : {std::pair(VerdictLevel::kQuotable, "quotable"),
                                     std::pair(VerdictLevel::kDoNotQuote, "do not quote")}) {
    report.verdict = {.level = level};
    for (const Plot& plot : plots_of(report)) {
      const std::string svg = svg_of(plot, kColumn_mm);
      EXPECT_NE(svg.find(std::string(">") + words + "</text></svg>"), std::string::npos) << svg;
    }
  }
  report.verdict.reset();
  EXPECT_EQ(svg_of(plots_of(report).front(), kColumn_mm).find("quot"), std::string::npos);
}

TEST(Figures, IndependentRanksAreTriangles) {
  const Report report = sample_sweep({});
  const std::vector<Plot> plots = plots_of(report);
  for (const char* name : {"speed-up", "efficiency"}) {
    SCOPED_TRACE(name);
    const auto plot = std::ranges::find(plots, name, &Plot::name);
    ASSERT_NE(plot, plots.end());
    const auto triangles = [](const PlotSeries& one) { return one.drawn == Drawn::kTriangles; };
    std::size_t tables = 0, named = 0;
    for (const PlotSeries& one : plot->series) {
      if (!triangles(one)) continue;
      ++tables;
      if (one.name == "no exchange") ++named;
      ASSERT_EQ(one.marks.size(), 1u);
      EXPECT_EQ(one.marks.front().at, 8);
    }
    EXPECT_EQ(tables, report.scaling.size());
    EXPECT_EQ(named, 1u) << "the legend says it once";
  }
}

TEST(Figures, DevicesNameTheirHostsWhereThereAreSeveral) {
  Report report = sample_sweep({});
  ASSERT_FALSE(report.devices.empty());
  for (const bool several : {false, true}) {
    if (several) report.devices.front().host = "another";
    const std::vector<Plot> plots = plots_of(report);
    const auto plot = std::ranges::find_if(plots, [&](const Plot& one) {
      return one.name == "devices" && one.chosen == report.devices.front().group;
    });
    ASSERT_NE(plot, plots.end());
    std::vector<std::string> names;
    for (const DeviceRecord& device : report.devices) {
      if (device.group != report.devices.front().group) continue;
      names.push_back("rank " + std::to_string(device.rank) + ", " + device.device +
                      (several ? ", " + device.host : ""));
    }
    EXPECT_EQ(plot->at.names, names);
  }
}

}  // namespace
}  // namespace scalemark::reporting
