#include "engine/process/metrics_pages.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/live/fetch.h"
#include "core/live/pages.h"
#include "tests/data/text/temporary_folder.h"

namespace scalemark::process {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

MetricsPages::Shown shown() {
  MetricsPages::Shown shown{.status = {.run_id = "abc", .command = "train"}, .done_points = {}};
  shown.status.findings = {{.code = "slow_disk",
                            .severity = "info",
                            .text = "'/home/ann/my data' (~/x) reads 3 images/s, see /a/b, 5 / s"}};
  return shown;
}

std::string get(const MetricsPages& pages, const std::string& path) {
  return live::fetch("http://" + pages.address() + path, "", 10s);
}

TEST(MetricsPages, ShowNoPaths) {
  const MetricsPages pages({.host = "127.0.0.1", .port = 0, .token = {}}, shown);
  const live::Status status = live::parse_status(get(pages, "/status"), "status");
  EXPECT_EQ(status.findings.at(0).text, "'<path>' (<path>) reads 3 images/s, see <path>, 5 / s");
}

TEST(MetricsPages, TheLivePageReadsTheStatusAndWhatItSaysOfNow) {
  const MetricsPages pages({.host = "127.0.0.1", .port = 0, .token = {}}, shown);
  EXPECT_TRUE(get(pages, "/?page") == live::live_page());  // fetch() takes "/" for /status
  const auto frame = nlohmann::json::parse(get(pages, "/now"));
  EXPECT_EQ(frame["status"], nlohmann::json::parse(get(pages, "/status")));
  EXPECT_EQ(frame["status"]["findings"][0]["text"],
            "'<path>' (<path>) reads 3 images/s, see <path>, 5 / s");
  EXPECT_EQ(frame["now"]["age_s"], 0);
}

TEST(MetricsPages, RememberWhatWasBeforeThePageWasOpened) {
  MetricsPages pages({.host = "127.0.0.1", .port = 0, .token = {}}, shown);
  live::Status status = shown().status;
  status.phase = "window";
  status.ranks = {{.rank = 0, .beats = 1, .clock_s = 100, .phase = "window", .step = 10}};
  pages.remember(status);
  status.ranks = {
      {.rank = 0, .beats = 2, .clock_s = 110, .phase = "window", .step = 20, .samples = 320}};
  pages.remember(status);
  const auto past = nlohmann::json::parse(get(pages, "/past"));
  ASSERT_EQ(past["frames"].size(), 2u);
  EXPECT_EQ(past["frames"][1]["rate"], 32);
  EXPECT_EQ(past["frames"][1]["values"]["samples_per_s"], nlohmann::json{32});
  EXPECT_GE(past["now"], past["frames"][1]["at"]);
}

TEST(MetricsPages, AreFoundByAFileAndALinkBesideTheFolder) {
  const data::TemporaryFolder folder;
  const fs::path out = folder.path() / "out", link = out.string() + ".metrics-target.json";
  fs::create_directory(out);
  for (int start = 0; start < 2; ++start) {
    MetricsPages pages({.host = "127.0.0.1", .port = 0, .token = {}}, shown);
    pages.write_target(out, "abc");
    for (const fs::path& file : {out / "metrics-target.json", link}) {
      const auto targets = nlohmann::json::parse(data::read_file(file));
      EXPECT_EQ(
          targets,
          (nlohmann::json{{{"targets", {pages.address()}}, {"labels", {{"run_id", "abc"}}}}}));
    }
    if (start == 0) continue;
    pages.drop_target();
    EXPECT_FALSE(fs::exists(fs::symlink_status(link)));
  }
  EXPECT_TRUE(fs::is_empty(out));
}

TEST(MetricsPages, WhoScrapesSeesTheEnd) {
  MetricsPages pages({.host = "127.0.0.1", .port = 0, .token = {}}, shown);
  pages.wait_for_scrape(true, [] { return true; });  // nobody scrapes: it does not wait
  std::atomic<int> asked{0};
  std::atomic<bool> over{false};
  std::thread scraper([&] {
    while (!over) {
      if (asked > 0) get(pages, "/metrics");
      std::this_thread::yield();
    }
  });
  for (int trial = 0; trial < 20 && asked == 0; ++trial) {  // a pause here may pass for its end
    get(pages, "/metrics");
    get(pages, "/metrics");
    pages.wait_for_scrape(true, [&] { return ++asked > 0; });
  }
  over = true;
  scraper.join();
  EXPECT_GE(asked, 1);
  asked = 0;
  pages.wait_for_scrape(true, [&] { return ++asked < 2; });  // a signal ends a wait so
  EXPECT_LE(asked, 2);
}

}  // namespace
}  // namespace scalemark::process
