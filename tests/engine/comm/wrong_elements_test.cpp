// A wrong element is found wherever it is, in each type, and the rank and link are named where the
// collective shows them; the other rows still run.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "core/settings/resolve.h"
#include "engine/comm/comm_run.h"
#include "faulty/faulty_backend.h"

namespace scalemark::communicating {
namespace {

namespace fs = std::filesystem;
using collectives::Collective;
using collectives::DataType;
using distributed::Fault;
using nlohmann::json;

constexpr int kRanks = 2;
constexpr std::int64_t kElements = 1024;

settings::Settings settings_for(const fs::path& folder) {
  settings::RawSettings raw;
  raw["device"] = {"cpu", "option"};
  raw["threads"] = {"1", "option"};
  raw["quiet"] = {"on", "option"};
  raw["output"] = {(folder / "out").string(), "option"};
  const auto resolution = settings::resolve(
      raw, {.machine = {.cores = 2}, .ranks = settings::RankCount{kRanks, kRanks}});
  for (const auto& problem : resolution.problems) ADD_FAILURE() << settings::to_line(problem);
  return resolution.settings;
}

planning::CollectivePoint point(Collective collective, DataType type, const std::string& backend) {
  return {
      .group = std::string(name_of(collective)) + "-" + std::string(name_of(type)) + "-" + backend,
      .collective = collective,
      .backend = backend,
      .dtype = type,
      .elements = kElements,
      .world_size = kRanks,
      .members = {0, 1},
      .in_place = collective != Collective::kAllGather};
}

struct Ended {
  json report;
  int exit_code = 0;  // rank 0 returned it
};

// Each rank is a process of its own, started before this one has a thread of torch's.
Ended run(const std::vector<planning::CollectivePoint>& points, const Fault* fault) {
  const fs::path folder = fs::temp_directory_path() / ("faulty-" + std::to_string(getpid()));
  fs::remove_all(folder);
  fs::create_directories(folder);
  const auto settings = settings_for(folder);
  std::array<pid_t, kRanks> ranks{};
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    ranks[rank] = fork();
    if (ranks[rank] != 0) continue;
    distributed::plant(fault);
    const int number = static_cast<int>(rank);
    const process::RunRequest request{.settings = process::process_settings(settings),
                                      .world = {.rank = number,
                                                .world_size = kRanks,
                                                .local_rank = number,
                                                .local_world_size = kRanks},
                                      .rendezvous = {.kind = launching::Rendezvous::Kind::kFile,
                                                     .file = folder / "meet",
                                                     .run_id = "faulty"}};
    _exit(static_cast<int>(comm({.run = request,
                                 .plan = {.world_size = kRanks, .repetitions = 1, .points = points},
                                 .settings_json = "{}"})));
  }
  Ended ended;
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    int status = 0;
    EXPECT_EQ(waitpid(ranks[rank], &status, 0), ranks[rank]);
    EXPECT_TRUE(WIFEXITED(status));
    if (rank == 0) ended.exit_code = WEXITSTATUS(status);
  }
  std::ifstream file(folder / "out" / "report.json");
  ended.report = json::parse(file, nullptr, false);
  fs::remove_all(folder);
  return ended;
}

json row_of(const Ended& ended, const std::string& group) {
  for (const auto& row : ended.report.at("collectives")) {
    if (row.at("group") == group) return row;
  }
  ADD_FAILURE() << "no row " << group;
  return {};
}

bool soak() {
  const char* asked = std::getenv("SCALEMARK_SOAK");
  return asked != nullptr && std::string(asked) == "full";
}

void expect_wrong(const json& row, const Fault& fault) {
  EXPECT_EQ(row.at("status"), "failed");
  EXPECT_EQ(row.at("wrong"), 2) << "one in each of the two verified calls";
  const std::string reason = row.at("reason");
  EXPECT_NE(reason.find("rank " + std::to_string(fault.rank)), std::string::npos) << reason;
}

// A row of each type over both backends.
void expect_found(const Fault& fault) {
  std::vector<planning::CollectivePoint> bad, good, points;
  for (const DataType type :
       {DataType::kFp32, DataType::kFp16, DataType::kBf16, DataType::kInt32}) {
    bad.push_back(point(Collective::kAllReduce, type, "faulty"));
    good.push_back(point(Collective::kAllReduce, type, "gloo"));
    points.insert(points.end(), {bad.back(), good.back()});
  }
  const Ended ended = run(points, &fault);
  ASSERT_TRUE(ended.report.is_object());
  EXPECT_EQ(ended.exit_code, 83);
  EXPECT_EQ(ended.report.at("exit_code"), 83);
  for (const auto& each : bad) expect_wrong(row_of(ended, each.group), fault);
  for (const auto& each : good) {
    EXPECT_EQ(row_of(ended, each.group).at("status"), "ok");
    EXPECT_EQ(row_of(ended, each.group).at("wrong"), 0);
  }
}

TEST(WrongElements, OneIsFoundWhereverItIsInEachType) {
  std::mt19937_64 bits(17);
  const int trials = soak() ? 100 : 1;
  for (int trial = 0; trial < trials; ++trial) {
    const Fault fault{.rank = static_cast<int>(bits() % kRanks),
                      .element = static_cast<std::int64_t>(bits() % kElements)};
    SCOPED_TRACE("element " + std::to_string(fault.element) + " rank " +
                 std::to_string(fault.rank));
    expect_found(fault);
  }
}

TEST(WrongElements, WhereDataOnlyTravelsTheSenderIsNamed) {
  const auto bad = point(Collective::kAllGather, DataType::kFp32, "faulty");
  const Fault fault{.rank = 0, .element = kElements / 2 + 7};  // rank 1 sent it
  const Ended ended = run({bad}, &fault);
  ASSERT_TRUE(ended.report.is_object());
  const std::string reason = row_of(ended, bad.group).at("reason");
  EXPECT_NE(reason.find("rank 0"), std::string::npos) << reason;
  EXPECT_NE(reason.find("rank 1"), std::string::npos) << reason;
}

TEST(WrongElements, NoneInCleanRuns) {
  const auto clean = point(Collective::kAllReduce, DataType::kBf16, "faulty");
  const Ended ended = run({clean}, nullptr);
  ASSERT_TRUE(ended.report.is_object());
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(row_of(ended, clean.group).at("wrong"), 0);
}

}  // namespace
}  // namespace scalemark::communicating
