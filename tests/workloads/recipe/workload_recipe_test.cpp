// The example of ADDING.md, "Adding a workload", trains: its files are made from that text.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/settings/resolve.h"
#include "engine/train/train_run.h"
#include "workloads/networks/network.h"

namespace scalemark {
namespace {

namespace fs = std::filesystem;

settings::Settings settings_of(const fs::path& output) {
  const settings::RawSettings raw{
      {"workload", {"logistic", "option"}}, {"device", {"cpu", "option"}},
      {"threads", {"1", "option"}},         {"warmup_iters", {"1", "option"}},
      {"iters", {"50", "option"}},          {"output", {output, "option"}}};
  const auto resolution =
      settings::resolve(raw, {.machine = {.cores = 1}, .ranks = settings::RankCount{1, 1}});
  for (const auto& problem : resolution.problems) ADD_FAILURE() << settings::to_line(problem);
  return resolution.settings;
}

TEST(TheWorkloadOfTheRecipe, Trains) {
  const fs::path output =
      fs::temp_directory_path() / ("workload-recipe-" + std::to_string(getpid()));
  const auto settings = settings_of(output);
  EXPECT_EQ(running::train(
                {.run = {.settings = process::process_settings(settings)}, .settings = settings}),
            ExitCode::kPass);
  std::ifstream file(output / "report.json");
  const auto report = nlohmann::json::parse(file, nullptr, false);
  fs::remove_all(output);
  ASSERT_TRUE(report.is_object());
  const auto& point = report.at("points").at(0);
  EXPECT_EQ(point.at("workload"), "logistic");
  const auto& course = point.at("loss").at("course");
  EXPECT_LT(course.back().at("loss"), course.front().at("loss"));
}

TEST(TheWorkloadOfTheRecipe, HasAsManyParametersAsItsDescriptorSays) {
  const auto* workload = catalogue::find_workload("logistic");
  ASSERT_NE(workload, nullptr);
  const auto network = workloads::make_network("logistic", {.shape = workload->default_shape});
  std::int64_t count = 0;
  for (const auto& parameter : network->module().parameters()) count += parameter.numel();
  EXPECT_EQ(count, workload->parameters(workload->default_shape));
}

}  // namespace
}  // namespace scalemark
