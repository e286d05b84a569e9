#include <ATen/ops/rand.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "data/load/dataset.h"
#include "engine/step/measurement/window_timer.h"
#include "engine/step/optimizer.h"
#include "engine/train/trainer.h"
#include "engine/train/workload_data.h"
#include "workloads/weights/weights.h"

namespace scalemark::running {
namespace {

// A rank's training of the mlp on synthetic batches; strategy none.
class Training {
 public:
  explicit Training(const std::string& optimizer)
      : network_(workloads::make_network("mlp", {.shape = shape()})) {
    network_->module().train();
    const auto parameters = training::trainable_parameters(network_->module());
    const settings::RecipeSettings recipe{
        .optimizer = optimizer, .learning_rate = 0.01, .momentum = 0.9, .weight_decay = 0.01};
    step_ = std::make_unique<training::TrainStep>(
        *network_, parameters, training::make_optimizer(parameters, recipe),
        training::make_strategy({.parameters = parameters, .settings = {.strategy = "none"}}),
        training::TrainStepOptions{.schedule = {.kind = "cosine", .rate = 0.01, .total_steps = 9}});
    settings::Settings settings;
    settings.task.workload = "mlp";
    settings.size.batch_size = 4;
    batches_ = cached_batches(
        synthetic_batches(settings, workload_named("mlp"), shape(), 0, data::allocate_host));
  }

  RunState state() { return {.step = *step_, .source = batches_.get(), .device = c10::kCPU}; }

  // Returns the state that `count` steps leave: losses, weights, and the next random numbers.
  std::vector<at::Tensor> run(int count) {
    measurement::NoMarker marker;
    std::vector<at::Tensor> left;
    for (int i = 0; i < count; ++i) {
      left.push_back(step_->run([&] { return batches_->next(); }, marker));
    }
    for (const auto& [name, tensor] : workloads::named_state(*network_)) {
      left.push_back(tensor.detach().clone());
    }
    left.push_back(at::rand({4}));
    return left;
  }

  std::int64_t steps_done() const { return step_->steps_done(); }

 private:
  static catalogue::ModelShape shape() {
    return catalogue::resolved_shape(workload_named("mlp"), {});
  }

  std::unique_ptr<workloads::Network> network_;
  std::unique_ptr<training::TrainStep> step_;
  std::unique_ptr<BatchSource> batches_;
};

class RunStates : public ::testing::TestWithParam<const char*> {};

TEST_P(RunStates, PutBackContinueBitByBitAsBefore) {
  Training training(GetParam());
  training.run(3);
  const auto before = copy_of(training.state());
  const auto first = training.run(4);
  put_back(before, training.state(), "the copy");
  EXPECT_EQ(training.steps_done(), 3);
  const auto again = training.run(4);
  ASSERT_EQ(first.size(), again.size());
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_TRUE(first[i].equal(again[i])) << i;
}

INSTANTIATE_TEST_SUITE_P(EveryOptimizer, RunStates,
                         ::testing::Values("sgd", "adam", "adamw", "lamb", "lars"));

TEST(RunState, HoldsEverythingUnderItsName) {
  Training training("adam");
  const auto copy = copy_of(training.state());
  for (const char* name : {"model.fc1.weight", "optimizer.0.fc1.weight", "optimizer.1.fc1.weight",
                           "optimizer.2.fc1.weight", "random.cpu"}) {
    EXPECT_TRUE(copy.contains(name)) << name;
  }
  for (const char* name : {"steps_done", "data.batches", "data.samples"}) {
    EXPECT_TRUE(copy.contains(name)) << name;
  }
}

}  // namespace
}  // namespace scalemark::running
