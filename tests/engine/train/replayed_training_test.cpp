#include "engine/train/replayed_training.h"

#include <gtest/gtest.h>

#include "engine/device/device.h"
#include "engine/train/workload_data.h"

namespace scalemark::running {
namespace {

settings::Settings of_mlp(std::uint64_t seed) {
  settings::Settings settings;
  settings.task.workload = "mlp";
  settings.size.batch_size = 64;
  settings.recipe.optimizer = "sgd";
  settings.recipe.momentum = 0.9;
  settings.recipe.lr_schedule = "constant";
  settings.recipe.seed = seed;
  return replayed_settings(settings);
}

ReplayedTraining replayed(const settings::Settings& settings, int steps = 100) {
  const auto device = device::make_cpu_device();
  const auto& workload = workload_named("mlp");
  return replay_training(settings, workload, catalogue::resolved_shape(workload, {}), *device,
                         [&] { return steps-- > 0; });
}

TEST(ReplayTraining, GivesTheSameBitsTwice) {
  const ReplayedTraining replay = replayed(of_mlp(1));
  EXPECT_EQ(replay.rounds, 2);
  EXPECT_EQ(replay.first_wrong, "");
  EXPECT_EQ(replay.digest, replayed(of_mlp(1)).digest);
  EXPECT_NE(replay.digest, replayed(of_mlp(2)).digest) << "it depends on the numbers";
}

// A round that was cut short would differ from every other.
TEST(ReplayTraining, CountsOnlyWholeRounds) {
  EXPECT_EQ(replayed(of_mlp(1), 2).rounds, 0);
  EXPECT_EQ(replayed(of_mlp(1), 2).digest, "");
  EXPECT_EQ(replayed(of_mlp(1), 4).rounds, 1);
}

TEST(ReplayTraining, IsTheSameWorkForEveryNumberOfRanks) {
  settings::Settings wide = of_mlp(1);
  wide.recipe.learning_rate = 0.4;  // --lr-scaling linear gives more ranks a larger one
  wide.size.global_batch_size = 512;
  wide.parallel.strategy = "ddp";
  EXPECT_EQ(replayed_work(replayed_settings(wide)), replayed_work(of_mlp(1)));
  EXPECT_NE(replayed_work(of_mlp(2)), replayed_work(of_mlp(1)));
}

}  // namespace
}  // namespace scalemark::running
