#include <gtest/gtest.h>

#include <map>
#include <string>

#include "core/catalogue/strategy.h"
#include "core/settings/notes.h"
#include "core/settings/resolve.h"

namespace scalemark::settings {
namespace {

using Options = std::map<std::string, std::string>;

Resolution resolved_graphs(const Options& options, const std::string& device = "cuda") {
  RawSettings raw{{"cuda_graphs", {"on", "option"}}, {"device", {device, "option"}}};
  for (const auto& [name, text] : options) raw[name] = {text, "option"};
  const Gpu gpu{"new", ComputeCapability{9, 0}};
  return resolve(raw, {.machine = {.cores = 4, .gpus = {gpu, gpu}}});
}

// Returns the refusal of --cuda-graphs; empty where graphs can be captured.
std::string refusal_of(const Options& options, const std::string& device = "cuda") {
  const Resolution resolution = resolved_graphs(options, device);
  if (resolution.problems.empty()) return "";
  EXPECT_EQ(resolution.problems.size(), 1U);
  EXPECT_EQ(resolution.problems.front().option, "cuda_graphs");
  return to_line(resolution.problems.front());
}

TEST(CudaGraphs, AreOffUnlessAskedFor) {
  EXPECT_FALSE(resolve({}, {.machine = {.cores = 4}}).settings.parallel.cuda_graphs);
  const Resolution asked = resolved_graphs({});
  EXPECT_TRUE(asked.problems.empty());
  EXPECT_TRUE(asked.settings.parallel.cuda_graphs);
}

TEST(CudaGraphs, HoldWhatTheDeviceDoesByItself) {
  for (const char* workload : {"linear", "mlp", "resnet50", "bert-mini", "bert-large"}) {
    EXPECT_EQ(refusal_of({{"workload", workload}}), "") << workload;
  }
  for (const char* optimizer : {"sgd", "adam", "adamw", "lamb", "lars"}) {
    for (const char* precision : {"fp32", "tf32", "amp-fp16", "amp-bf16"}) {
      EXPECT_EQ(refusal_of({{"optimizer", optimizer}, {"precision", precision}}), "") << optimizer;
    }
  }
  const Options others[] = {{{"gradient_accumulation_steps", "4"}, {"clip_grad_norm", "1"}},
                            {{"workload", "resnet50"}, {"data", "/images"}, {"epochs", "2"}},
                            {{"synthetic_in_loop", "on"}},
                            {{"profiler_range", "on"}},
                            {{"deterministic", "on"}},
                            {{"empty_cache_every", "1"}},
                            {{"warmup_iters", "4"}, {"iters", "1"}},
                            {{"nproc_per_node", "2"}, {"strategy", "none"}}};
  for (const Options& options : others) {
    EXPECT_EQ(refusal_of(options), "") << options.begin()->first;
  }
}

TEST(CudaGraphs, SayWhyAStepCannotBeCapturedAndWhatToDo) {
  EXPECT_EQ(refusal_of({}, "cpu"),
            "--cuda-graphs is 'on' (from option); is about GPUs, and the device is a CPU. Hint: "
            "leave --cuda-graphs out");
  const std::pair<Options, const char*> refused[] = {
      {{{"workload", "resnet50"}, {"activation_checkpointing", "on"}},
       "--activation-checkpointing"},
      {{{"workload", "resnet50"}, {"stochastic_depth", "0.2"}}, "--stochastic-depth"},
      {{{"workload", "bert-mini"}, {"data", "/text"}}, "those of a text differ"},
      {{{"trace", "/traces"}}, "--trace"},
      {{{"warmup_iters", "3"}}, "use --warmup-iters 4"},
      {{{"warmup_iters", "0"}}, "use --warmup-iters 4"}};
  for (const auto& [options, words] : refused) {
    const std::string said = refusal_of(options);
    EXPECT_NE(said.find(words), std::string::npos) << words << ": " << said;
    EXPECT_NE(said.find(" Hint: "), std::string::npos) << said;
  }
}

// Every strategy is decided, and one that exchanges through the host is never captured.
TEST(CudaGraphs, AskHowAStrategyExchanges) {
  for (const catalogue::Strategy& strategy : catalogue::all_strategies()) {
    Options options{{"nproc_per_node", "2"}, {"strategy", strategy.name}, {"backend", "nccl"}};
    const std::string over_nccl = refusal_of(options);
    options["backend"] = "gloo";
    const std::string over_gloo = refusal_of(options);
    const bool alone = strategy.name == "none";
    EXPECT_EQ(over_nccl.empty(), strategy.not_captured.empty()) << over_nccl;
    EXPECT_EQ(over_gloo.empty(), alone) << strategy.name << over_gloo;
    if (!over_nccl.empty()) {
      EXPECT_NE(over_nccl.find(strategy.not_captured), std::string::npos) << over_nccl;
    } else if (!alone) {
      EXPECT_NE(over_gloo.find("use --backend nccl"), std::string::npos) << over_gloo;
    }
  }
  const Options ddp{{"nproc_per_node", "2"}};
  EXPECT_EQ(refusal_of(ddp), "");
  Options more = ddp;
  more["communication_cost"] = "on";
  EXPECT_NE(refusal_of(more).find("--communication-cost"), std::string::npos);
  more = ddp;
  more["find_unused_parameters"] = "on";
  EXPECT_NE(refusal_of(more).find("--find-unused-parameters"), std::string::npos);
}

}  // namespace
}  // namespace scalemark::settings
