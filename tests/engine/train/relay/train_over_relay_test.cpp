// A backend is one file, one line and its CMake line: `relay` is none of the product's.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/settings/resolve.h"
#include "engine/train/train_run.h"

namespace scalemark::running {
namespace {

namespace fs = std::filesystem;
constexpr int kRanks = 2;

settings::Settings settings_for(const std::string& backend, const fs::path& folder) {
  settings::RawSettings raw;
  for (const auto& [name, text] :
       std::array<std::pair<const char*, std::string>, 9>{{{"workload", "linear"},
                                                           {"strategy", "ddp"},
                                                           {"backend", backend},
                                                           {"device", "cpu"},
                                                           {"threads", "1"},
                                                           {"batch_size", "8"},
                                                           {"iters", "6"},
                                                           {"warmup_iters", "2"},
                                                           {"output", folder / "out"}}}) {
    raw[name] = {text, "option"};
  }
  const auto resolution = settings::resolve(
      raw, {.machine = {.cores = 2}, .ranks = settings::RankCount{kRanks, kRanks}});
  for (const auto& problem : resolution.problems) ADD_FAILURE() << settings::to_line(problem);
  return resolution.settings;
}

TrainRequest request_of(int rank, const settings::Settings& settings, const fs::path& folder) {
  const process::RunRequest run{
      .settings = process::process_settings(settings),
      .world = {.rank = rank, .world_size = kRanks, .local_rank = rank, .local_world_size = kRanks},
      .rendezvous = {
          .kind = launching::Rendezvous::Kind::kFile, .file = folder / "meet", .run_id = "relay"}};
  return {.run = run, .settings = settings};
}

// Each rank is a process of its own, started before this one has a thread of torch's.
nlohmann::json report_of_training_over(const std::string& backend) {
  const fs::path folder = fs::temp_directory_path() / (backend + "-" + std::to_string(getpid()));
  fs::remove_all(folder);
  fs::create_directories(folder);
  const auto settings = settings_for(backend, folder);
  std::array<pid_t, kRanks> ranks{};
  for (int rank = 0; rank < kRanks; ++rank) {
    ranks[static_cast<std::size_t>(rank)] = fork();
    if (ranks[static_cast<std::size_t>(rank)] != 0) continue;
    _exit(static_cast<int>(train(request_of(rank, settings, folder))));
  }
  for (const pid_t rank : ranks) {
    int status = 0;
    EXPECT_EQ(waitpid(rank, &status, 0), rank);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  std::ifstream file(folder / "out" / "report.json");
  const auto report = nlohmann::json::parse(file, nullptr, false);
  fs::remove_all(folder);
  return report;
}

TEST(ABackendOfATestsOwn, TrainsTwoRanksAndStandsInTheReport) {
  const auto relay = report_of_training_over("relay");
  ASSERT_TRUE(relay.is_object());
  ASSERT_EQ(relay.at("status"), "complete");
  const auto& point = relay.at("points").at(0);
  EXPECT_EQ(point.at("backend"), "relay");
  EXPECT_EQ(point.at("world_size"), 2);
  const auto gloo = report_of_training_over("gloo");
  ASSERT_TRUE(gloo.is_object());
  const auto& expected = gloo.at("points").at(0);
  EXPECT_EQ(expected.at("backend"), "gloo");
  EXPECT_NEAR(point.at("loss").at("last"), expected.at("loss").at("last"), 1e-6);
}

}  // namespace
}  // namespace scalemark::running
