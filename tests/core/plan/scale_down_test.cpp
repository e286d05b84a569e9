#include "core/plan/scale_down.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "core/base/number_words.h"
#include "core/plan/listed_configs.h"
#include "core/plan/scaled_values.h"
#include "core/settings/config_file.h"

namespace scalemark::planning {
namespace {

constexpr std::uint64_t kGiB = 1ULL << 30;
constexpr double kLimit_s = 300;

Surveyed laptop() {
  return {.machine = {.cpu_flags = "avx512_bf16", .cores = 2}, .memory = {.host_bytes = 16 * kGiB}};
}

ScaledDown scaled(settings::Command command,
                  std::initializer_list<std::pair<const char*, const char*>> options,
                  const Surveyed& there = laptop()) {
  settings::RawSettings raw;
  for (const auto& [name, text] : options) raw[name] = {text, "option"};
  return scaled_down(command, raw, there, kLimit_s);
}

std::string change_of(const ScaledDown& scaled, const std::string& option) {
  const auto found = std::ranges::find(scaled.changes, option, &Change::option);
  return found == scaled.changes.end() ? "same" : found->from + " -> " + found->to;
}

TEST(ScaleDown, LeavesWhatFits) {
  const ScaledDown same = scaled(settings::kSweep, {{"workload", "mlp"}});
  EXPECT_TRUE(same.changes.empty()) << in_words(same);
  EXPECT_EQ(in_words(same), "nothing is scaled down: about 70 s by the plan");
}

TEST(ScaleDown, ShrinksSizesBeforeStepsBeforeRepetitions) {
  const ScaledDown small = scaled(settings::kSweep, {{"workload", "resnet50"}});
  std::vector<std::string> order;
  for (const Change& change : small.changes) order.push_back(change.option);
  EXPECT_EQ(order, (std::vector<std::string>{"batch_size", "image_size", "quick", "retries",
                                             "max_time", "repetitions"}))
      << in_words(small);
  EXPECT_EQ(change_of(small, "batch_size"), "the workload's own -> 2");
  EXPECT_EQ(change_of(small, "image_size"), "224 -> 64");
  EXPECT_EQ(small.raw.at("batch_size").origin, "scale_down");
}

TEST(ScaleDown, KeepsTypedRepetitionsForAnInterval) {
  const ScaledDown five =
      scaled(settings::kSweep, {{"workload", "resnet50,bert-base"}, {"repetitions", "5"}});
  EXPECT_EQ(change_of(five, "repetitions"), "5 -> 3") << in_words(five);
  const ScaledDown one = scaled(settings::kSweep, {{"workload", "resnet50"}, {"repetitions", "1"}});
  EXPECT_EQ(change_of(one, "repetitions"), "same");
}

TEST(ScaleDown, TakesWhatTheMachineHas) {
  const ScaledDown small = scaled(settings::kSweep, {{"workload", "linear"},
                                                     {"device", "cuda"},
                                                     {"backend", "nccl,gloo"},
                                                     {"world_sizes", "1,2,8,64"},
                                                     {"nproc_per_node", "64"},
                                                     {"precision", "tf32,amp-bf16"}});
  EXPECT_EQ(change_of(small, "device"), "cuda -> cpu");
  EXPECT_EQ(change_of(small, "backend"), "nccl,gloo -> gloo");
  EXPECT_EQ(change_of(small, "world_sizes"), "1,2,8,64 -> 1,2");
  EXPECT_EQ(change_of(small, "nproc_per_node"), "64 -> 2");
  EXPECT_EQ(change_of(small, "precision"), "tf32,amp-bf16 -> amp-bf16");
  Surveyed old = laptop();
  old.machine.cpu_flags = "";
  EXPECT_EQ(change_of(scaled(settings::kSweep, {{"precision", "amp-bf16"}}, old), "precision"),
            "amp-bf16 -> fp32");
}

TEST(ScaleDown, EndsWhatHasNoEnd) {
  const ScaledDown small = scaled(
      settings::kSweep, {{"workload", "linear"}, {"burn_in", "24"}, {"fresh_process", "on"}});
  EXPECT_EQ(change_of(small, "burn_in"), "24 -> none");
  EXPECT_EQ(change_of(scaled(settings::kTrain, {{"epochs", "3"}}), "epochs"), "3 -> none");
}

TEST(ScaleDown, TakesASmallNetworkOfTheFamilyForItsMemory) {
  Surveyed small = laptop();
  small.memory.host_bytes = 3 * kGiB;
  const ScaledDown bert = scaled(settings::kTrain, {{"workload", "bert-large"}}, small);
  EXPECT_EQ(change_of(bert, "workload"), "bert-large -> bert-mini") << in_words(bert);
}

TEST(ScaleDown, OfTrainCutsSteps) {
  const ScaledDown small =
      scaled(settings::kTrain, {{"workload", "resnet50"}, {"iters", "100000"}});
  EXPECT_NE(change_of(small, "iters"), "same") << in_words(small);
}

TEST(ScaleDown, OfCommTakesSmallerMessages) {
  const ScaledDown small = scaled(settings::kComm, {{"sizes", "1Ki:elem,1Mi:elem,1Gi:elem"}});
  EXPECT_NE(change_of(small, "sizes").find("1Ki:elem,1Mi:elem,"), std::string::npos);
  EXPECT_LE(small.planned_s, kLimit_s);
}

TEST(ScaleDown, NamesImagesForAnExperimentAboutReading) {
  const ScaledDown loader =
      scaled(settings::kSweep, {{"workload", "resnet50"}, {"workers", "1,2,4,8"}});
  EXPECT_EQ(change_of(loader, "data"), std::string("synthetic -> ") + kMadeImages);
  EXPECT_EQ(change_of(scaled(settings::kSweep, {{"workload", "mlp"}, {"workers", "1,2"}}), "data"),
            "same");
}

TEST(ScaleDown, ReadsItsTime) {
  EXPECT_EQ(scale_down_s({}), std::nullopt);
  EXPECT_EQ(scale_down_s({{"scale_down", {"on", "option"}}}), 300);
  EXPECT_EQ(scale_down_s({{"scale_down", {"2m", "option"}}}), 120);
  EXPECT_EQ(scale_down_s({{"scale_down", {"off", "option"}}}), std::nullopt);
  EXPECT_EQ(scale_down_s({{"scale_down", {"soon", "option"}}}), std::nullopt);
}

// Whatever the built-in configurations ask for, the plan on a laptop stays near the limit, or is
// refused for what the laptop does not have.
TEST(ScaleDown, BringsEachConfigurationToALaptop) {
  std::vector<std::string> refused;
  for (const NamedText& config : settings::builtin_configs()) {
    const auto command = *settings::find_command(settings::facts_of(config.text).command);
    settings::Sources sources;
    sources.config_files.push_back({std::string(config.name), std::string(config.text)});
    const auto raw = settings::merge_layers(sources, command).raw;
    const ScaledDown small = scaled_down(command, raw, laptop(), kLimit_s);
    const Forecast found = forecast(command, small.raw, laptop());
    if (!found.problems.empty()) {
      refused.emplace_back(config.name);
      continue;
    }
    EXPECT_FALSE(found.breaks_preset) << config.name << ": " << in_words(small);
    EXPECT_TRUE(found.fits_memory()) << config.name << ": " << in_words(small);
    EXPECT_LE(found.estimated_s, 1.5 * kLimit_s) << config.name << ": " << in_words(small);
  }
  EXPECT_EQ(refused, (std::vector<std::string>{"cuda-graphs", "pin-memory"}));
}

TEST(ScaledValues, AreSmallerOrNone) {
  EXPECT_EQ(halved({"32", "8"}, 2), (Texts{"16", "4"}));
  EXPECT_EQ(halved({"3", "2"}, 2), (Texts{"2"}));
  EXPECT_EQ(halved({"2"}, 2), Texts{});
  EXPECT_EQ(halved({"auto"}, 2), Texts{});
  EXPECT_EQ(without_largest({"1", "4", "2"}, 1), (Texts{"1", "2"}));
  EXPECT_EQ(without_largest({"1", "2"}, 1), Texts{});
  EXPECT_EQ(without_largest({"4"}, 1), (Texts{"2"}));
  EXPECT_EQ(smaller_messages({"1KiB", "64MiB"}), (Texts{"1KiB", "16MiB"}));
  EXPECT_EQ(smaller_messages({"32MiB", "64MiB"}), (Texts{"32MiB"}));
  EXPECT_EQ(smaller_messages({"1KiB"}), Texts{});
  EXPECT_EQ(mini_networks({"bert-large", "bert-base", "mlp"}), (Texts{"bert-mini", "mlp"}));
  EXPECT_EQ(mini_networks({"resnet50"}), Texts{});
}

TEST(RoughDuration, HasTwoDigits) {
  EXPECT_EQ(rough_duration(42.34), "42 s");
  EXPECT_EQ(rough_duration(723), "12 min");
  EXPECT_EQ(rough_duration(26.2 * 3600), "26 h");
  EXPECT_EQ(rough_duration(5.04 * 86400), "5 days");
}

TEST(ScaleDown, KeepsAnExperimentAboutScaling) {
  const ScaledDown small = scaled(settings::kSweep, {{"workload", "mlp"}, {"world_sizes", "1,8"}});
  EXPECT_EQ(change_of(small, "world_sizes"), "1,8 -> 1,2");
}

TEST(ScaleDown, LoosensNothingThatWasGiven) {
  const ScaledDown small =
      scaled(settings::kSweep, {{"workload", "resnet50"}, {"max_time", "60"}, {"quick", "on"}});
  EXPECT_EQ(change_of(small, "max_time"), "same");
  EXPECT_FALSE(small.raw.contains("repetitions"));
  const ScaledDown node =
      scaled(settings::kSweep,
             {{"workload", "mlp"}, {"nnodes", "2"}, {"node_rank", "1"}, {"resume", "on"}});
  EXPECT_FALSE(node.raw.contains("node_rank"));
  EXPECT_EQ(node.raw.at("resume").text, "on");
}

TEST(ScaleDown, PairsTakeTimeByTheirRounds) {
  const ScaledDown pairs =
      scaled(settings::kComm, {{"pairs", "on"}, {"nproc_per_node", "2"}, {"repetitions", "5000"}});
  EXPECT_NE(change_of(pairs, "repetitions"), "same");
}

}  // namespace
}  // namespace scalemark::planning
