// Measures what a training step costs beyond its arithmetic: milliseconds per step of the two small
// models, alone or over Gloo.
//
//   step-bench                    one rank, strategy none
//   step-bench RANK SIZE FILE     one of SIZE ranks that meet through FILE; start them together
#include <ATen/Parallel.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <torch/nn/module.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <vector>

#include "core/catalogue/workload.h"
#include "engine/step/train_step.h"
#include "tools/bench/clock_marker.h"
#include "tools/programs/commands.h"
#include "workloads/networks/network.h"

namespace scalemark::training {
namespace {

using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

Group make_group(int rank, int size, const std::string& file) {
  auto store = c10::make_intrusive<c10d::FileStore>(file, size);
  auto options = c10d::ProcessGroupGloo::Options::create();
  options->devices.push_back(c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1"));
  auto group = c10::make_intrusive<c10d::ProcessGroup>(store, rank, size);
  group->setBackend(c10::kCPU, c10d::ProcessGroup::BackendType::GLOO,
                    c10::make_intrusive<c10d::ProcessGroupGloo>(store, rank, size, options));
  group->setDefaultBackend(c10d::ProcessGroup::BackendType::GLOO);
  return group;
}

struct Cost {
  double wall_ms = 0;  // median over blocks of steps
  double cpu_ms = 0;   // mean, all threads; compare this on a busy machine
};

Cost cost_per_step(const std::string& workload, std::int64_t batch_size, const Group& group) {
  const catalogue::Workload& entry = *catalogue::find_workload(workload);
  workloads::NetworkOptions options;
  options.shape = catalogue::resolved_shape(entry, {});
  auto network = workloads::make_network(workload, options);
  auto parameters = trainable_parameters(network->module());
  settings::RecipeSettings recipe;
  recipe.optimizer = workload == "linear" ? "sgd" : "adam";
  settings::ParallelSettings parallel;
  if (!group) parallel.strategy = "none";
  auto strategy = make_strategy({parameters, {}, group, parallel});
  TrainStep step(*network, parameters, make_optimizer(parameters, recipe), std::move(strategy),
                 {.schedule = {.rate = 1e-3}});
  data::Batch batch;
  batch.tensors["features"] = at::randn({batch_size, workload == "linear" ? 1000 : 1024});
  batch.tensors["label"] = at::randint(10, {batch_size}, at::kLong);
  batch.samples = batch_size;

  ClockMarker marker;
  const auto next = [&] { return batch; };
  constexpr int kBlocks = 15, kSteps = 40;
  std::vector<double> blocks;
  const std::clock_t cpu_begin = std::clock();
  for (int block = 0; block < kBlocks; ++block) {
    const auto begin = Clock::now();
    for (int i = 0; i < kSteps; ++i) step.run(next, marker);
    const std::chrono::duration<double, std::milli> passed = Clock::now() - begin;
    if (block > 1) blocks.push_back(passed.count() / kSteps);
  }
  std::sort(blocks.begin(), blocks.end());
  const double cpu_s = static_cast<double>(std::clock() - cpu_begin) / CLOCKS_PER_SEC;
  return {.wall_ms = blocks[blocks.size() / 2], .cpu_ms = 1e3 * cpu_s / (kBlocks * kSteps)};
}

}  // namespace
}  // namespace scalemark::training

int scalemark::commands::step_bench(int argc, char** argv) {
  at::set_num_threads(1);
  const bool alone = argc < 4;
  scalemark::training::Group group;
  if (!alone)
    group = scalemark::training::make_group(std::stoi(argv[1]), std::stoi(argv[2]), argv[3]);
  for (const auto& [workload, batch] : {std::pair{"linear", 32}, std::pair{"mlp", 64}}) {
    const auto cost = scalemark::training::cost_per_step(workload, batch, group);
    if (alone || argv[1][0] == '0') {
      std::printf("%s, batch %d: %.3f ms/step, %.3f ms CPU\n", workload, batch, cost.wall_ms,
                  cost.cpu_ms);
    }
  }
  return 0;
}
