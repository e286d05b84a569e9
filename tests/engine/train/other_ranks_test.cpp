#include "engine/train/other_ranks.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <vector>

#include "core/base/error.h"
#include "core/catalogue/workload.h"
#include "engine/step/measurement/window_timer.h"
#include "engine/step/optimizer.h"
#include "engine/step/strategy.h"
#include "engine/train/trainer.h"
#include "engine/train/workload_data.h"

namespace scalemark::running {
namespace {

namespace fs = std::filesystem;

Sameness began(int ranks, int batch, int accumulation = 1, const std::string& scaling = "none",
               const std::string& strategy = "ddp") {
  return {{"world_size", std::to_string(ranks)},
          {"batch_size", std::to_string(batch)},
          {"gradient_accumulation_steps", std::to_string(accumulation)},
          {"global_batch_size", std::to_string(ranks * batch * accumulation)},
          {"learning_rate", "0.4"},
          {"lr_scaling", '"' + scaling + '"'},
          {"strategy", '"' + strategy + '"'},
          {"machine 0", "a CPU"}};
}

std::string said(const Sameness& before, int ranks, bool static_graph = false) {
  settings::Settings settings;
  settings.size = {.batch_size = 1, .gradient_accumulation_steps = 1, .global_batch_size = ranks};
  settings.parallel.static_graph = static_graph;
  return set_sizes(before, settings);
}

TEST(OtherRanks, KeepTheGlobalBatchWhereItDividesElseTheirOwn) {
  const std::string four = "a training that began with 4 ranks goes on with ";
  EXPECT_EQ(said(began(4, 6), 4), "");
  EXPECT_EQ(said(began(4, 6), 2), four +
                                      "2: batch 6 per rank x accumulation 2, global batch 24 as "
                                      "before, learning rate 0.4 as before");
  EXPECT_EQ(said(began(4, 6), 2, /*static_graph=*/true),
            four + "2: batch 12 per rank, global batch 24 as before, learning rate 0.4 as before");
  EXPECT_EQ(said(began(4, 6), 8),
            four + "8: batch 3 per rank, global batch 24 as before, learning rate 0.4 as before");
  EXPECT_EQ(said(began(4, 6), 3),
            four + "3: batch 8 per rank, global batch 24 as before, learning rate 0.4 as before");
  EXPECT_EQ(said(began(4, 6), 5), four +
                                      "5: batch 6 per rank, global batch 30 instead of 24, "
                                      "learning rate 0.4 as before (--lr-scaling none)");
  EXPECT_EQ(said(began(4, 6, 1, "linear"), 5),
            four +
                "5: batch 6 per rank, global batch 30 instead of 24, learning rate 0.5 instead "
                "of 0.4 (--lr-scaling linear)");
}

TEST(OtherRanks, MayHaveWhatFollowsFromTheirNumberAndNothingElse) {
  const Sameness before = began(4, 6, 1, "linear");
  Sameness now = began(2, 6, 1, "linear");
  now["learning_rate"] = "0.2";
  EXPECT_EQ(as_on_other_ranks(before, now), before);
  now = began(2, 12, 1, "linear");  // --global-batch-size 24
  EXPECT_EQ(as_on_other_ranks(before, now), before);
  now["learning_rate"] = "0.3";
  EXPECT_NE(as_on_other_ranks(before, now), before);
  EXPECT_NE(as_on_other_ranks(before, began(2, 7, 1, "linear")), before) << "another batch";
  now = began(2, 12, 1, "linear");
  now["machine 1"] = "another CPU";
  EXPECT_NE(as_on_other_ranks(before, now), before);
  EXPECT_NE(as_on_other_ranks(before, began(2, 6, 1, "linear", "sharded")), before);
  EXPECT_EQ(as_on_other_ranks(began(4, 6), began(1, 6, 1, "none", "none")), began(4, 6));
  now = began(4, 7, 1, "linear");
  EXPECT_EQ(as_on_other_ranks(before, now), now) << "as many ranks";
  for (const char* strategy : {"none", "local-sgd", "parameter-server"}) {
    EXPECT_THROW(
        as_on_other_ranks(began(4, 6, 1, "none", strategy), began(2, 6, 1, "none", strategy)),
        Error);
  }
}

TEST(OtherRanks, TakeNoNumbersOfADamagedFile) {
  for (const char* name : {"world_size", "batch_size", "global_batch_size"}) {
    for (const char* text : {"", "-1", "0", "9223372036854775807", "x"}) {
      Sameness before = began(4, 6);
      before[name] = text;
      EXPECT_EQ(said(before, 2), "");
      EXPECT_EQ(as_on_other_ranks(before, began(2, 6)), began(2, 6));
    }
  }
}

constexpr std::int64_t kGlobal = 12, kSteps = 4;

// The samples of a step are the same for any number of ranks, which take them in turn.
data::Batch batch_of(std::int64_t step, int rank, int ranks) {
  auto random = at::detail::createCPUGenerator(static_cast<std::uint64_t>(step + 1));
  const at::Tensor mine = at::arange(rank, kGlobal, ranks);
  data::Batch batch;
  batch.tensors["features"] = at::randn({kGlobal, 1024}, random).index_select(0, mine);
  batch.tensors["label"] = at::randint(10, {kGlobal}, random).index_select(0, mine);
  batch.samples = kGlobal / ranks;
  return batch;
}

// A rank's training of the mlp, which draws nothing. Ranks are threads.
class ThreadRank {
 public:
  ThreadRank(std::string strategy, std::string optimizer, int rank, int ranks)
      : rank_(rank), ranks_(ranks), strategy_(std::move(strategy)), optimizer_(optimizer) {
    at::manual_seed(3);
    network_ = workloads::make_network(
        "mlp", {.shape = catalogue::resolved_shape(workload_named("mlp"), {.classes = 10})});
    network_->module().train();
  }

  void join(const c10::intrusive_ptr<c10d::Store>& store) {
    const auto parameters = training::trainable_parameters(network_->module());
    settings::ParallelSettings parallel;
    parallel.strategy = strategy_;
    parallel.first_bucket_cap_mb = parallel.bucket_cap_mb = 0.6;
    auto made = training::make_strategy({.parameters = parameters,
                                         .group = group_of(store),
                                         .settings = parallel,
                                         .make_replica = {}});
    const settings::RecipeSettings recipe{
        .optimizer = optimizer_, .learning_rate = 0.01, .momentum = 0.9, .weight_decay = 0.01};
    auto optimizer =
        training::make_optimizer(made->optimizer_parameters(), recipe, made->whole_norms());
    step_ = std::make_unique<training::TrainStep>(
        *network_, parameters, std::move(optimizer), std::move(made),
        training::TrainStepOptions{.schedule = {.rate = 0.01, .total_steps = 9}});
  }

  void run() {
    measurement::NoMarker marker;
    for (std::int64_t i = 0; i < kSteps; ++i) {
      const auto next = [&] { return batch_of(step_->steps_done(), rank_, ranks_); };
      losses.push_back(step_->run(next, marker).item<double>());
    }
  }

  RunState state() {
    return {.step = *step_, .source = nullptr, .device = c10::kCPU, .epoch = &epoch};
  }

  std::vector<double> losses;
  at::Tensor epoch = at::zeros({1}, at::kDouble);

 private:
  c10::intrusive_ptr<c10d::ProcessGroup> group_of(const c10::intrusive_ptr<c10d::Store>& store) {
    if (strategy_ == "none") return nullptr;
    auto options = c10d::ProcessGroupGloo::Options::create();
    options->devices.push_back(c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1"));
    auto gloo = c10::make_intrusive<c10d::ProcessGroupGloo>(store, rank_, ranks_, options);
    auto group = c10::make_intrusive<c10d::ProcessGroup>(store, rank_, ranks_);
    group->setBackend(c10::kCPU, c10d::ProcessGroup::BackendType::GLOO, gloo);
    group->setDefaultBackend(c10d::ProcessGroup::BackendType::GLOO);
    return group;
  }

  int rank_, ranks_;
  std::string strategy_, optimizer_;
  std::unique_ptr<workloads::Network> network_;
  std::unique_ptr<training::TrainStep> step_;
};

class OtherRanksFiles : public ::testing::Test {
 protected:
  OtherRanksFiles()
      : from_{fs::path(::testing::TempDir()) / "other-ranks",
              {.step = 0, .same = {}, .evaluation = {}, .resumed = {}, .dealt = {}, .files = {}}} {
    fs::remove_all(from_.folder);
    fs::create_directories(from_.folder);
  }
  ~OtherRanksFiles() override { fs::remove_all(from_.folder); }

  void write(const workloads::NamedTensors& state, std::size_t rank) {
    const fs::path file = from_.folder / file_of_rank(static_cast<int>(rank));
    workloads::write_safetensors(file, state);
    from_.manifest.files.resize(std::max(from_.manifest.files.size(), rank + 1));
    from_.manifest.files[rank] = describe_file(file);
  }

  FoundCheckpoint from_;
};

class OtherRanksTrain : public OtherRanksFiles, public ::testing::WithParamInterface<const char*> {
 protected:
  void begin_anew() { from_.manifest.files.clear(); }

  // Goes on from the checkpoint, if there is one, and writes the next. Returns the losses.
  std::vector<double> train(const std::string& strategy, const std::string& optimizer, int ranks) {
    std::vector<std::unique_ptr<ThreadRank>> all;
    for (int rank = 0; rank < ranks; ++rank) {
      all.push_back(std::make_unique<ThreadRank>(strategy, optimizer, rank, ranks));
    }
    const auto store = c10::make_intrusive<c10d::HashStore>();
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
      threads.emplace_back([&, rank] { train(*all[static_cast<std::size_t>(rank)], rank, store); });
    }
    for (std::thread& thread : threads) thread.join();
    return write(all);
  }

 private:
  void train(ThreadRank& rank, int number, const c10::intrusive_ptr<c10d::Store>& store) {
    rank.join(store);
    if (!from_.manifest.files.empty()) {
      put_back(state_of_other_ranks(from_, number, copy_of(rank.state())), rank.state(), "here");
      EXPECT_EQ(rank.epoch.item<double>(), number == 0 ? epochs_ : 0) << "their sum is rank 0's";
    }
    rank.epoch.fill_(number + 1);
    rank.run();
  }

  std::vector<double> write(const std::vector<std::unique_ptr<ThreadRank>>& all) {
    from_.manifest.files.clear();
    epochs_ = 0;
    std::vector<double> losses(kSteps);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      OtherRanksFiles::write(copy_of(all[rank]->state()), rank);
      epochs_ += static_cast<double>(rank + 1);
      for (std::size_t i = 0; i < losses.size(); ++i) {
        losses[i] += all[rank]->losses[i] / static_cast<double>(all.size());
      }
    }
    return losses;
  }

  double epochs_ = 0;  // sum of the ranks' measurements of the epoch
};

// Four steps each by 4, 2, 3, 6 and 1 ranks as threads, with three optimizers: 4 s, sharded 8 s.
TEST_P(OtherRanksTrain, ContinueTheLossesOfOneProcessWithinRounding) {
  for (const char* optimizer : {"adam", "lamb", "sgd"}) {
    std::vector<double> alone, together;
    begin_anew();
    for (const int ranks : {1, 1, 1, 1, 1}) {
      for (const double loss : train("none", optimizer, ranks)) alone.push_back(loss);
    }
    begin_anew();
    for (const int ranks : {4, 2, 3, 6, 1}) {
      for (const double loss : train(GetParam(), optimizer, ranks)) together.push_back(loss);
    }
    ASSERT_EQ(alone.size(), together.size());
    for (std::size_t i = 0; i < alone.size(); ++i) {
      EXPECT_NEAR(together[i], alone[i], 1e-5 * alone[i]) << optimizer << ", step " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, OtherRanksTrain, ::testing::Values("ddp", "flat", "sharded"));

TEST_F(OtherRanksFiles, AreCutAnewAndMustHoldAllOfIt) {
  const auto of = [](std::vector<float> values) { return torch::tensor(values); };
  const auto one = [](float value) { return at::full({}, value); };
  write({{"model.w", of({1, 2})},
         {"random.cpu", of({5})},
         {"optimizer.0.w[0:3]", of({0, 1, 2})},
         {"optimizer.2.w[0:3]", one(7)}},
        0);
  write(
      {{"random.cpu", of({6})}, {"optimizer.0.w[3:5]", of({3, 4})}, {"optimizer.2.w[3:5]", one(7)}},
      1);
  const workloads::NamedTensors start{{"model.w", of({0, 0})},
                                      {"random.cpu", of({9})},
                                      {"optimizer.0.w[2:4]", of({0, 0})},
                                      {"optimizer.2.w[2:4]", one(0)}};
  const auto gone_on = state_of_other_ranks(from_, 1, start);
  EXPECT_TRUE(gone_on.at("model.w").equal(of({1, 2})));
  EXPECT_TRUE(gone_on.at("random.cpu").equal(of({6})));
  EXPECT_TRUE(gone_on.at("optimizer.0.w[2:4]").equal(of({2, 3})));
  EXPECT_TRUE(gone_on.at("optimizer.2.w[2:4]").equal(one(7)));
  EXPECT_TRUE(state_of_other_ranks(from_, 2, start).at("random.cpu").equal(of({9})))
      << "no rank 2 has written one";

  EXPECT_THROW(state_of_other_ranks(from_, 0, {{"optimizer.0.w[4:6]", of({0, 0})}}), Error);
  EXPECT_THROW(state_of_other_ranks(from_, 0, {{"model.v", of({0})}}), Error);
  write({{"optimizer.0.w[3:99]", of({3})}, {"optimizer.0.w[-9:5]", of({3})}}, 1);
  EXPECT_THROW(state_of_other_ranks(from_, 1, start), Error);
}

}  // namespace
}  // namespace scalemark::running
