#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

#include "core/live/pages.h"

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
  EXPECT_EQ(times(page, "</script>"), 2u) << "a script ends early";
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
       {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("})
    EXPECT_EQ(times(script, way), 0u) << way << ": names may hold anything";
}

}  // namespace
}  // namespace scalemark::live
