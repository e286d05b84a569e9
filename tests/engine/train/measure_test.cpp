// The window of one rank, step by step. Of several ranks: planted_delays_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <vector>

#include "data/load/dataset.h"
#include "engine/device/cpu_allocator.h"
#include "engine/device/device.h"
#include "engine/step/optimizer.h"
#include "engine/train/measured_steps.h"
#include "engine/train/window.h"
#include "engine/train/workload_data.h"

namespace scalemark::running {
namespace {

using Events = std::vector<std::string>;

class NotingMeter final : public monitoring::EnergyMeter {
 public:
  explicit NotingMeter(Events& events) : events_(events) {}
  void begin() override { events_.push_back("energy begins"); }
  std::vector<double> joules() override {
    events_.push_back("energy is read");
    return {2.5};
  }

 private:
  Events& events_;
};

class NotingWatch final : public StepWatch {
 public:
  explicit NotingWatch(Events& events) : events_(events) {}
  void enter(const std::string&) override {}
  void begin(const std::string&, std::optional<std::int64_t>, std::int64_t) override {
    events_.push_back("made ready");
  }
  bool stop_before(std::int64_t) override { return false; }
  bool peers_answered() const override { return true; }
  void step_done(std::int64_t, std::optional<double>) override { events_.push_back("step"); }

 private:
  Events& events_;
};

catalogue::ModelShape shape() { return catalogue::resolved_shape(workload_named("mlp"), {}); }

std::unique_ptr<training::TrainStep> step_of(workloads::Network& network) {
  const auto parameters = training::trainable_parameters(network.module());
  const settings::RecipeSettings recipe{.optimizer = "sgd", .learning_rate = 0.01};
  return std::make_unique<training::TrainStep>(
      network, parameters, training::make_optimizer(parameters, recipe),
      training::make_strategy({.parameters = parameters, .settings = {.strategy = "none"}}),
      training::TrainStepOptions{.schedule = {.kind = "constant", .rate = 0.01}});
}

std::unique_ptr<BatchSource> batches() {
  settings::Settings settings;
  settings.task.workload = "mlp";
  settings.size.batch_size = 4;
  return cached_batches(
      synthetic_batches(settings, workload_named("mlp"), shape(), 0, data::allocate_host));
}

// One rank's training of the mlp, and what its loops need.
struct Rank {
  Events events;
  NotingWatch watch{events};
  std::unique_ptr<workloads::Network> network = workloads::make_network("mlp", {.shape = shape()});
  std::unique_ptr<training::TrainStep> step = step_of(*network);
  std::unique_ptr<BatchSource> source = batches();
  std::unique_ptr<device::Device> device = device::make_cpu_device();
  c10::intrusive_ptr<c10d::Store> store = c10::make_intrusive<c10d::HashStore>();
  distributed::ErrorStore errors{store, 0, 1, false};
  distributed::ControlGroup control{store, 0, 1, std::chrono::seconds(5), "", errors};
  StepContext context{.step = *step,
                      .next_batch = [this] { return source->next(); },
                      .device = *device,
                      .control = control,
                      .watch = watch};
};

// Neither what is made for the window nor the wait at its barrier belongs to its energy.
TEST(Measure, CountsEnergyFromTheFirstStepToTheLast) {
  Rank rank;
  NotingMeter meter(rank.events);
  const Window window = measure(rank.context, "window", {.steps = 2}, {.energy = &meter});
  EXPECT_EQ(rank.events, (Events{"made ready", "energy begins", "step", "step", "energy is read"}));
  EXPECT_EQ(window.energy_J, std::vector<double>{2.5});
  EXPECT_TRUE(measure(rank.context, "window", {.steps = 1}).energy_J.empty());
}

TEST(Measure, GivesKeptMemoryBackAfterEveryNthStep) {
  device::cpu_allocator();  // the first call makes it torch's
  Rank rank;
  const auto kept = [] {
    const device::CpuMemory memory = device::cpu_allocator().memory();
    return memory.reserved_bytes - memory.live_bytes;
  };
  measure(rank.context, "window", {.steps = 4});
  const auto usual = kept();
  rank.context.empty_cache_every = 3;
  measure(rank.context, "window", {.steps = 1});  // the fifth
  EXPECT_GE(kept(), usual / 2);
  measure(rank.context, "window", {.steps = 1});  // the sixth
  EXPECT_LT(kept(), usual / 2);
}

TEST(CostBlocks, AreFourQuadruplesAndLeaveTheTrainingAsItWas) {
  Rank rank;
  measure(rank.context, "window", {.steps = 3});
  const RunState state{
      .step = *rank.step, .source = rank.source.get(), .device = rank.device->torch_device()};
  const auto cost = measure_communication_cost_blocks(
      rank.context, state, training::Exchange::kOverlapped, {.steps = 96}, 1);
  EXPECT_FALSE(cost.stopped);
  ASSERT_EQ(cost.blocks.size(), 16u);
  for (const reporting::CostBlock& block : cost.blocks) {
    EXPECT_GT(block.own_s.value(), 0);
    EXPECT_LE(block.own_s.value(), block.step_s);
  }
  EXPECT_EQ(rank.step->steps_done(), 3);
  const auto steps = std::ranges::count(rank.events, "step");
  EXPECT_EQ(steps, 3 + 16 * 6);
}

// An exchange every fourth step falls as often into each block.
TEST(CostBlocks, HoldWholePeriodsOfTheExchange) {
  Rank rank;
  const RunState state{
      .step = *rank.step, .source = rank.source.get(), .device = rank.device->torch_device()};
  measure_communication_cost_blocks(rank.context, state, training::Exchange::kOverlapped,
                                    {.steps = 96}, 4);
  EXPECT_EQ(std::ranges::count(rank.events, "step"), 16 * 8);
}

}  // namespace
}  // namespace scalemark::running
