#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>

#include "core/live/pages.h"
#include "core/live/rates.h"

namespace scalemark::live {
namespace {

std::size_t times(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    ++count;
  return count;
}

TEST(LivePage, IsWhole) {
  const std::string page = live_page();
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_TRUE(page.ends_with("</html>\n"));
  for (const char* place : {"@STYLE@", "@CHARTS@", "@SCRIPT@"}) EXPECT_EQ(times(page, place), 0u);
  EXPECT_EQ(times(page, "</script>"), 3u) << "a script ends early";
  EXPECT_EQ(page, live_page());
  EXPECT_LT(page.size(), 300'000u);
}

// The namespaces of SVG and XML, and Chart.js' own address in its comments, are asked by nobody.
TEST(LivePage, NamesNoOtherPlace) {
  const std::string page = live_page();
  const std::regex address("(https?:)?//[a-zA-Z0-9-]+\\.[a-zA-Z]+[^\\s\"'`)]*");
  std::set<std::string> found;
  for (std::sregex_iterator it(page.begin(), page.end(), address), end; it != end; ++it)
    found.insert(it->str());
  EXPECT_EQ(found, (std::set<std::string>{"https://www.chartjs.org",
                                          "https://github.com/kurkle/color#readme"}));
  const std::regex loads("(src|href)=\"([^\"]*)\"");
  for (std::sregex_iterator it(page.begin(), page.end(), loads), end; it != end; ++it) {
    const std::string target = it->str(2);
    EXPECT_TRUE(target == "data:," || target == "metrics" || target == "status") << target;
  }
}

TEST(LivePage, AllowsItselfNothingElse) {
  const std::string page = live_page();
  EXPECT_NE(page.find("http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                      "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
                      "connect-src 'self'; base-uri 'none'; form-action 'none'\""),
            std::string::npos);
  const std::string script = kLivePageScript;
  for (const char* way :
       {"innerHTML", "outerHTML =", "insertAdjacentHTML", "document.write", "eval("})
    EXPECT_EQ(times(script, way), 0u) << way << ": names may hold anything";
}

nlohmann::json past_of(const Past& past) { return nlohmann::json::parse(past.json(1000)); }

TEST(LivePast, RemembersWhatThePageDraws) {
  Past past;
  EXPECT_EQ(past_of(past), (nlohmann::json{{"now", 1000}, {"frames", nlohmann::json::array()}}));
  Status status{.phase = "window", .point = "a"};
  status.ranks = {{.rank = 2, .resident_bytes = 3}, {.rank = 0, .resident_bytes = 1}};
  status.ranks[0].gpu = GpuStatus{.utilisation = 0.5, .ecc_uncorrected = 7};
  status.loss = 2.5;
  RunNow now{.samples_per_s = 12.3456};
  now.ranks = {{.rank = 2, .peer_wait_share = 0.25}, {.rank = 0}};
  past.add(status, now, 998);
  const auto frame = past_of(past)["frames"][0];
  EXPECT_EQ(frame["at"], 998);
  EXPECT_EQ(frame["phase"], "window");
  EXPECT_EQ(frame["rate"], 12.35);
  EXPECT_EQ(frame["loss"], 2.5);
  EXPECT_EQ(
      frame["means"],
      (nlohmann::json{{"peer_wait_share", 0.25}, {"resident_bytes", 2}, {"utilisation", 0.5}}));
  EXPECT_EQ(frame["values"]["resident_bytes"], (nlohmann::json{1, nullptr, 3}));
  EXPECT_EQ(frame["values"]["peer_wait_share"], (nlohmann::json{nullptr, nullptr, 0.25}));
  status.state = "complete";
  now.samples_per_s = std::numeric_limits<double>::quiet_NaN();
  status.loss = std::numeric_limits<double>::infinity();
  past.add(status, now, 999);
  EXPECT_EQ(past_of(past)["frames"][1]["phase"], "complete");
}

TEST(LivePast, IsBoundedInTimeNumberAndBytes) {
  Past past;
  Status status{.phase = "window"};
  RunNow now;
  for (int rank = 0; rank < 64; ++rank) {
    status.ranks.push_back({.rank = rank, .resident_bytes = 1'234'567'890 + rank});
    status.ranks.back().gpu = GpuStatus{.utilisation = 0.91234, .memory_used_bytes = 6.1234e10};
    now.ranks.push_back({.rank = rank, .samples_per_s = 123.456, .data_wait_share = 0.012345});
  }
  for (int i = 0; i < 400; ++i) past.add(status, now, i);
  EXPECT_EQ(past_of(past)["frames"].size(), 300u);
  EXPECT_EQ(past_of(past)["frames"][0]["at"], 100);
  EXPECT_LT(past.json(0).size(), 2'000'000u);
  past.add(status, now, 750);
  EXPECT_EQ(past_of(past)["frames"][0]["at"], 150) << "ten minutes before";
  while (status.ranks.size() < 1000) {
    status.ranks.push_back({.rank = static_cast<int>(status.ranks.size()), .resident_bytes = 1});
    now.ranks.push_back({.rank = status.ranks.back().rank});
  }
  past.add(status, now, 10'000);
  const auto frames = past_of(past)["frames"];
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0]["values"], nlohmann::json::object());
  EXPECT_EQ(frames[0]["means"]["data_wait_share"], 0.01235);
}

}  // namespace
}  // namespace scalemark::live
