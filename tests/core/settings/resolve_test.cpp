#include "core/settings/resolve.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace scalemark::settings {
namespace {

const Gpu kOldGpu{"old", ComputeCapability{7, 0}};
const Gpu kNewGpu{"new", ComputeCapability{9, 0}};

Surroundings laptop(int cores = 4) { return {.machine = {.cores = cores}}; }

Surroundings with_gpus(std::vector<Gpu> gpus) {
  return {.machine = {.cores = 16, .gpus = std::move(gpus)}};
}

RawSettings given(std::initializer_list<std::pair<const char*, const char*>> values) {
  RawSettings raw;
  for (const auto& [name, text] : values) raw[name] = {text, "option"};
  return raw;
}

Settings good(const RawSettings& raw, const Surroundings& around = laptop()) {
  Resolution resolution = resolve(raw, around);
  for (const Problem& problem : resolution.problems) ADD_FAILURE() << to_line(problem);
  return resolution.settings;
}

std::string only_problem(const RawSettings& raw, const Surroundings& around = laptop()) {
  const Resolution resolution = resolve(raw, around);
  EXPECT_EQ(resolution.problems.size(), 1u);
  return resolution.problems.empty() ? "" : to_line(resolution.problems.front());
}

TEST(Resolve, NothingGivenIsTheMlpOnOneRank) {
  const Settings s = good({});
  EXPECT_EQ(s.task.workload, "mlp");
  EXPECT_EQ(s.recipe.optimizer, "adam");
  EXPECT_EQ(s.recipe.learning_rate, 1e-3);
  EXPECT_EQ(s.size.batch_size, 64);
  EXPECT_EQ(s.size.global_batch_size, 64);
  EXPECT_EQ(s.parallel.device, DeviceKind::kCpu);
  EXPECT_EQ(s.parallel.backend, "gloo");
  EXPECT_EQ(s.parallel.strategy, "none");
  EXPECT_EQ(s.parallel.threads, 4);
  EXPECT_FALSE(s.measuring.iters);
  EXPECT_FALSE(s.measuring.epochs);
  EXPECT_EQ(s.origins.at("workload"), "default");
  EXPECT_EQ(s.origins.at("learning_rate"), "recipe");
  EXPECT_EQ(s.origins.at("global_batch_size"), "derived");
}

TEST(Resolve, AMemoryLimitIsForAllOrForRanks) {
  EXPECT_FALSE(good({}).parallel.memory_limit.every_bytes)
      << "auto: each node knows its own memory";
  const Settings s = good(given({{"memory_limit", "1=1GB"}, {"nproc_per_node", "2"}}));
  EXPECT_FALSE(s.parallel.memory_limit.every_bytes);
  EXPECT_EQ(s.parallel.memory_limit.bytes_of_rank,
            (std::map<int, std::int64_t>{{1, 1'000'000'000}}));
}

TEST(Resolve, AGivenValueOverridesTheRecipe) {
  const Settings s = good(given({{"workload", "resnet50"}, {"momentum", "0.5"}}));
  EXPECT_EQ(s.recipe.momentum, 0.5);
  EXPECT_EQ(s.origins.at("momentum"), "option");
  EXPECT_EQ(s.recipe.learning_rate, 0.1);
  EXPECT_EQ(s.task.image_size, 224);
}

TEST(Resolve, WarmupStepsReplaceTheShare) {
  EXPECT_GT(good(given({{"workload", "resnet50"}})).recipe.lr_warmup_share, 0);
  const Settings s = good(given({{"workload", "resnet50"}, {"lr_warmup_steps", "7"}}));
  EXPECT_EQ(s.recipe.lr_warmup_share, 0);
  EXPECT_EQ(s.recipe.lr_warmup_steps, 7);
}

TEST(Resolve, NoneTakesTheRecipesClippingAway) {
  EXPECT_EQ(good(given({{"workload", "bert-mini"}})).recipe.clip_grad_norm, 1.0);
  EXPECT_FALSE(
      good(given({{"workload", "bert-mini"}, {"clip_grad_norm", "none"}})).recipe.clip_grad_norm);
}

TEST(Resolve, AutoFollowsTheMachine) {
  const Settings s = good({}, with_gpus({kNewGpu, kNewGpu}));
  EXPECT_EQ(s.parallel.device, DeviceKind::kCuda);
  EXPECT_EQ(s.parallel.backend, "nccl");
  EXPECT_EQ(s.parallel.threads, 16);

  const Settings two = good(given({{"nproc_per_node", "auto"}}), with_gpus({kNewGpu, kNewGpu}));
  EXPECT_EQ(two.launch.nproc_per_node, 2);
  EXPECT_EQ(two.parallel.threads, 8);
  EXPECT_EQ(two.parallel.strategy, "ddp");
  EXPECT_EQ(two.size.global_batch_size, 128);

  EXPECT_EQ(good(given({{"nproc_per_node", "auto"}})).launch.nproc_per_node, 1);
  EXPECT_EQ(good(given({{"nproc_per_node", "auto"}, {"threads", "2"}})).launch.nproc_per_node, 2);
}

TEST(Resolve, ALauncherDecidesTheNumberOfRanks) {
  Surroundings around = laptop(8);
  around.ranks = RankCount{.world_size = 6, .local_world_size = 2};
  const Settings s = good(given({{"batch_size", "10"}}), around);
  EXPECT_EQ(s.size.global_batch_size, 60);
  EXPECT_EQ(s.parallel.threads, 4);
  EXPECT_EQ(s.parallel.strategy, "ddp");
}

TEST(Resolve, LinearScalingGoesByTheReferenceBatch) {
  const Settings s = good(
      given({{"workload", "resnet50"}, {"lr_scaling", "linear"}, {"global_batch_size", "1024"}}));
  EXPECT_DOUBLE_EQ(s.recipe.learning_rate, 0.4);  // 0.1 x 1024 / 256
}

// torch 2.11, nn/parallel/distributed.py: the first bucket is small only while nobody names a size.
TEST(Resolve, ABucketSizeThatIsGivenCountsForTheFirstBucketToo) {
  EXPECT_EQ(good({}).parallel.bucket_cap_mb, 25);
  EXPECT_EQ(good({}).parallel.first_bucket_cap_mb, 1);
  const Settings s = good(given({{"bucket_cap_mb", "25"}}));
  EXPECT_EQ(s.parallel.first_bucket_cap_mb, 25);
  EXPECT_EQ(s.origins.at("first_bucket_cap_mb"), "derived");
  const Settings both = good(given({{"bucket_cap_mb", "8"}, {"first_bucket_cap_mb", "0.5"}}));
  EXPECT_EQ(both.parallel.bucket_cap_mb, 8);
  EXPECT_EQ(both.parallel.first_bucket_cap_mb, 0.5);
  EXPECT_EQ(good(given({{"first_bucket_cap_mb", "4"}})).parallel.bucket_cap_mb, 25);
  EXPECT_EQ(only_problem(given({{"bucket_cap_mb", "0"}})),
            "--bucket-cap-mb is '0' (from option); a number above 0 is allowed.");
}

TEST(Resolve, MasterOptionsAreARendezvous) {
  EXPECT_EQ(good(given({{"master_addr", "n1"}, {"master_port", "1234"}})).launch.rendezvous,
            "n1:1234");
  EXPECT_EQ(good(given({{"master_addr", "n1"}})).launch.rendezvous, "n1");
  EXPECT_EQ(good(given({{"master_port", "1234"}})).launch.rendezvous, "127.0.0.1:1234");
  EXPECT_EQ(only_problem(given({{"master_port", "1234"}, {"nnodes", "2"}})),
            "--master-port is '1234' (from option); on several nodes --master-addr must name the "
            "host.");
  EXPECT_EQ(only_problem(given({{"master_addr", "n1"}, {"rendezvous", "n2:1"}})),
            "--master-addr is 'n1' (from option); cannot be combined with --rendezvous.");
  for (const char* address : {"fe80::1", "[fe80::1]"}) {
    EXPECT_EQ(good(given({{"master_addr", address}, {"master_port", "1"}})).launch.rendezvous,
              "[fe80::1]:1");
  }
  for (const char* address : {"n1:29500", "file:/x", "n 1", "/tmp/x", "[]"}) {
    EXPECT_EQ(only_problem(given({{"master_addr", address}, {"master_port", "1"}})),
              std::string("--master-addr is '") + address +
                  "' (from option); the name or the address of a host is expected. Hint: its port "
                  "belongs to --master-port");
  }
}

TEST(Resolve, OutputPlaceholders) {
  Surroundings around = laptop();
  around.place = {.host = "n7", .job = "42", .date = "20260102T030405Z"};
  EXPECT_EQ(good({}, around).general.output, "results/runs/mlp-20260102T030405Z");
  EXPECT_EQ(good(given({{"output", "out/{host}/{job}"}}), around).general.output, "out/n7/42");
  for (const char* bad : {"out/{user}", "out/{host", "out/}"}) {
    EXPECT_EQ(only_problem(given({{"output", bad}}), around),
              "--output is '" + std::string(bad) +
                  "' (from option); the placeholders {host}, {job} and {date} are allowed.");
  }
}

struct BadValue {
  const char* option;
  const char* text;
  const char* line;  // it follows "--option is 'text' (from option); "
};

TEST(Resolve, RefusesBadValuesByName) {
  const BadValue kBad[] = {
      {"batch_size", "-1", "a whole number from 1 on is allowed."},
      {"batch_size", "0", "a whole number from 1 on is allowed."},
      {"batch_size", "32.7", "a whole number from 1 on is allowed."},
      {"batch_size", "99999999999999999999",
       "a whole number from 1 on, at most 9223372036854775807 is allowed."},
      {"batch_size", "auto", "a whole number from 1 on is allowed."},
      {"iters", "1e3", "a whole number from 1 on, or auto is allowed."},
      {"learning_rate", "1e400", "a number above 0, at most 1.7e+308 is allowed."},
      {"learning_rate", "1e-400", "a number above 0, at least 5e-324 is allowed."},
      {"learning_rate", "0", "a number above 0 is allowed."},
      {"learning_rate", "nan", "a number above 0 is allowed."},
      {"momentum", "1", "a number from 0 to 1 (excluded) is allowed."},
      {"threads", "4294967297", "a whole number from 1 to 4096, or auto is allowed."},
      {"nproc_per_node", "4097", "a whole number from 1 to 4096, or auto is allowed."},
      {"overlap", "maybe", "on or off is allowed."},
      {"device", "gpu", "one of auto, cpu, cuda is allowed. Hint: did you mean 'cuda'?"},
      {"precision", "amp-b16",
       "one of fp32, tf32, amp-fp16, amp-bf16 is allowed. Hint: did you mean 'amp-bf16'?"},
      {"workload", "resnet",
       "one of resnet50, bert-base, bert-large, bert-mini, mlp, linear is allowed. Hint: did you "
       "mean 'resnet50'?"},
      {"strategy", "gossip",
       "one of none, ddp, flat, sharded, parameter-server, local-sgd, data-parallel is allowed."},
      {"backend", "ucc", "one of auto, nccl, gloo, mpi is allowed."},
      {"timeout", "windo=3",
       "SECONDS or PHASE=SECONDS,... above 0, the phases being rendezvous, data, preflight, "
       "model, warmup, window, epochs, report, wait is allowed."},
      {"memory_limit", "2G",
       "SIZE or RANK=SIZE,... with SIZE a whole number and its unit: 512MiB, 2GiB, 2GB, 4096B, or "
       "auto is allowed."},
      {"min_time", "2d",
       "seconds from 0 to 1000000, or with a unit (500ms, 2s, 5m, 1h) is allowed."},
      {"master_port", "65536", "a whole number from 1 to 65535 is allowed."},
      {"run_id", "", "text that is not empty is allowed."},
  };
  for (const BadValue& bad : kBad) {
    const std::string start = option_flag(bad.option) +
                              (*bad.text ? " is '" + std::string(bad.text) + "'" : "") +
                              " (from option); ";
    EXPECT_EQ(only_problem(given({{bad.option, bad.text}})), start + bad.line);
  }
}

TEST(Resolve, RefusesWhatContradicts) {
  EXPECT_EQ(only_problem(given({{"epochs", "2"}})),
            "--epochs is '2' (from option); needs a finite data set: give --data PATH, or count "
            "steps with --iters.");
  EXPECT_EQ(
      only_problem(
          given({{"workload", "resnet50"}, {"data", "tree"}, {"iters", "5"}, {"epochs", "1"}})),
      "--iters is '5' (from option); cannot be combined with --epochs: give a number of steps "
      "or of epochs.");
  EXPECT_EQ(only_problem(given({{"data", "/tmp/x"}})),
            "--data is '/tmp/x' (from option); mlp trains on synthetic data only.");
  EXPECT_EQ(
      only_problem(given({{"backend", "nccl"}})),
      "--backend is 'nccl' (from option); nccl needs --device cuda. Hint: use --backend gloo");
  EXPECT_EQ(
      only_problem(given({{"device", "cuda"}})),
      "--device is 'cuda' (from option); no GPU is visible here. Hint: `scalemark doctor` says "
      "what was looked for");
  EXPECT_EQ(
      only_problem(given({{"global_batch_size", "10"}, {"nproc_per_node", "4"}})),
      "--global-batch-size is '10' (from option); a multiple of 4 (accumulation 1 x 4 ranks), "
      "like 8 or 12.");
  EXPECT_EQ(only_problem(given({{"nproc_per_node", "3"}}), with_gpus({kNewGpu, kNewGpu})),
            "--backend is 'nccl' (from default); 3 ranks on 2 GPUs: nccl takes one rank per GPU. "
            "Hint: start fewer ranks, or use --backend gloo");
  const RawSettings accumulating = given(
      {{"nproc_per_node", "2"}, {"static_graph", "on"}, {"gradient_accumulation_steps", "3"}});
  EXPECT_EQ(only_problem(accumulating),
            "--static-graph is 'on' (from option); cannot be combined with gradient accumulation "
            "(3 micro-steps per step). Hint: leave --static-graph out");
  RawSettings alone = accumulating;
  alone["strategy"] = {"none", "option"};
  EXPECT_EQ(resolve(alone, laptop()).problems.size(), 0u);
  EXPECT_EQ(only_problem(given({{"quiet", "on"}, {"verbose", "on"}})),
            "--quiet is 'on' (from option); cannot be combined with --verbose.");
}

TEST(Resolve, ATraceFollowsAWindowAndARangeNeedsAGpu) {
  EXPECT_EQ(good(given({{"trace", "traces"}})).measuring.trace_steps, 5);
  EXPECT_EQ(
      only_problem(given(
          {{"workload", "resnet50"}, {"data", "tree"}, {"epochs", "1"}, {"trace", "traces"}})),
      "--trace is 'traces' (from option); cannot be combined with --epochs: its steps follow "
      "a measured window. Hint: leave --epochs out, or --trace");
  EXPECT_EQ(only_problem(given({{"profiler_range", "on"}})),
            "--profiler-range is 'on' (from option); needs --device cuda: its range is for "
            "profilers of GPUs. Hint: leave --profiler-range out; --trace DIR works on a CPU");
  EXPECT_TRUE(good(given({{"profiler_range", "on"}, {"device", "cuda"}}), with_gpus({kNewGpu}))
                  .measuring.profiler_range);
  EXPECT_EQ(resolve(given({{"trace_steps", "9"}}), laptop()).notes,
            std::vector<std::string>{"--trace-steps has no effect: it is about --trace DIR"});
}

TEST(Resolve, WhatMeansNothingWithAStrategyThatExchangesIsRefused) {
  const auto flat = [](const char* option, const char* value) {
    return given({{"nproc_per_node", "2"}, {"strategy", "flat"}, {option, value}});
  };
  EXPECT_EQ(only_problem(flat("static_graph", "on")),
            "--static-graph is 'on' (from option); has no effect with --strategy flat. Hint: leave "
            "--static-graph out");
  for (const char* option :
       {"broadcast_buffers", "find_unused_parameters", "gradient_as_bucket_view"}) {
    EXPECT_NE(only_problem(flat(option, "on")), "") << option;
  }
  for (const auto& [option, value] : {std::pair{"overlap", "off"},
                                      {"gradient_compression", "fp16"},
                                      {"bucket_cap_mb", "5"},
                                      {"gradient_accumulation_steps", "2"},
                                      {"communication_cost", "on"}}) {
    EXPECT_EQ(resolve(flat(option, value), laptop()).problems.size(), 0u) << option;
  }
}

TEST(Resolve, ActivationCheckpointingNeedsBlocks) {
  for (const char* name : {"resnet50", "bert-mini", "bert-base", "bert-large"}) {
    EXPECT_TRUE(good(given({{"workload", name}, {"activation_checkpointing", "on"}}))
                    .parallel.activation_checkpointing);
  }
  EXPECT_EQ(only_problem(given({{"activation_checkpointing", "on"}})),
            "--activation-checkpointing is 'on' (from option); mlp has no blocks whose forward "
            "could run again. Hint: leave --activation-checkpointing out");
  EXPECT_EQ(
      resolve(given({{"activation_checkpointing", "off"}}), laptop()).notes,
      (std::vector<std::string>{"--activation-checkpointing has no effect: mlp does not use it"}));
}

TEST(Resolve, FusedLayersMeanSomethingWhereThereAreAny) {
  const auto notes = [](std::map<std::string, std::string> options,
                        const Surroundings& around = laptop()) {
    options["fused_layers"] = "off";
    RawSettings raw;
    for (const auto& [name, value] : options) raw[name] = {value, "option"};
    return resolve(raw, around).notes;
  };
  EXPECT_TRUE(good(given({{"workload", "resnet50"}})).parallel.fused_layers);
  EXPECT_FALSE(
      good(given({{"workload", "resnet50"}, {"fused_layers", "off"}})).parallel.fused_layers);
  EXPECT_EQ(notes({{"workload", "resnet50"}}), std::vector<std::string>{});
  EXPECT_EQ(notes({{"workload", "resnet50"}, {"memory_format", "contiguous"}}),
            (std::vector<std::string>{"--fused-layers has no effect: there are fused layers for "
                                      "--memory-format channels-last"}));
  EXPECT_EQ(notes({{"workload", "resnet50"}, {"device", "cuda"}}, with_gpus({kNewGpu})),
            std::vector<std::string>{});
  EXPECT_EQ(notes({{"workload", "bert-mini"}, {"device", "cuda"}}, with_gpus({kNewGpu})),
            std::vector<std::string>{});
  EXPECT_EQ(notes({{"workload", "mlp"}}),
            (std::vector<std::string>{"--fused-layers has no effect: mlp does not use it"}));
}

TEST(Resolve, ReplicasNeedAGpuEachOrMasksOfTheirOwn) {
  const auto replicas = [](std::map<std::string, std::string> more) {
    RawSettings raw = given({{"strategy", "data-parallel"}, {"nproc_per_node", "2"}});
    for (const auto& [name, value] : more) raw[name] = {value, "option"};
    return raw;
  };
  EXPECT_EQ(good(replicas({{"communication_cost", "on"}})).size.global_batch_size, 128);
  EXPECT_EQ(only_problem(replicas({{"workload", "bert-mini"}, {"activation_checkpointing", "on"}})),
            "--activation-checkpointing is 'on' (from option); cannot be combined with --strategy "
            "data-parallel on a CPU, whose replicas draw dropout from one generator. Hint: leave "
            "--activation-checkpointing out");
  good(replicas({{"workload", "resnet50"}, {"activation_checkpointing", "on"}}));
  EXPECT_EQ(only_problem(replicas({{"gradient_compression", "fp16"}})),
            "--gradient-compression is 'fp16' (from option); has no effect with --strategy "
            "data-parallel. Hint: leave --gradient-compression out");
  // The setting is a problem, and not what follows from it.
  EXPECT_NE(only_problem(replicas({{"bucket_cap_mb", "5"}})), "");
  const Resolution one_gpu =
      resolve(replicas({{"device", "cuda"}}), {.machine = {.cores = 4, .gpus = {Gpu{}}}});
  ASSERT_FALSE(one_gpu.problems.empty());
  EXPECT_EQ(to_line(one_gpu.problems.front()),
            "--strategy is 'data-parallel' (from option); takes one GPU for each of 2 replicas, "
            "and 1 is visible. Hint: use fewer replicas, or --device cpu");
}

TEST(Resolve, SkippedBranchesNeedAStrategyThatTakesMissingGradients) {
  const auto skipping = [](std::map<std::string, std::string> more) {
    RawSettings raw = given({{"workload", "resnet50"}, {"stochastic_depth", "0.2"}});
    for (const auto& [name, value] : more) raw[name] = {value, "option"};
    return raw;
  };
  const std::string why =
      "--stochastic-depth 0.2 skips branches, whose parameters then get no gradient";
  EXPECT_EQ(good(skipping({})).recipe.stochastic_depth, 0.2);
  EXPECT_EQ(only_problem(skipping({{"nproc_per_node", "2"}})),
            "--find-unused-parameters is 'off' (from default); " + why +
                ": --strategy ddp needs it on. Hint: add --find-unused-parameters");
  EXPECT_TRUE(good(skipping({{"nproc_per_node", "2"}, {"find_unused_parameters", "on"}}))
                  .parallel.find_unused_parameters);
  EXPECT_EQ(only_problem(skipping({{"nproc_per_node", "2"}, {"strategy", "flat"}})),
            "--strategy is 'flat' (from option); " + why +
                ": this strategy needs them all. Hint: use --strategy ddp "
                "--find-unused-parameters");
  EXPECT_EQ(
      only_problem(skipping(
          {{"nproc_per_node", "2"}, {"find_unused_parameters", "on"}, {"static_graph", "on"}})),
      "--static-graph is 'on' (from option); " + why + ". Hint: leave --static-graph out");
  EXPECT_EQ(good(skipping({{"nproc_per_node", "2"}, {"stochastic_depth", "0"}})).parallel.strategy,
            "ddp");
  EXPECT_NE(only_problem(given({{"workload", "resnet50"}, {"stochastic_depth", "1"}})), "");
}

TEST(Resolve, CheckpointsBelongToEpochsAndAFolderThatStaysTheSame) {
  EXPECT_EQ(
      only_problem(given({{"checkpoint_every", "100steps"}})),
      "--checkpoint-every is '100steps' (from option); needs --epochs: nothing may interrupt a "
      "measured window.");
  EXPECT_NE(only_problem(given({{"checkpoint_every", "100"}})).find("with its unit"),
            std::string::npos);
  const auto training = [](std::map<std::string, std::string> more) {
    RawSettings raw = given({{"workload", "resnet50"}, {"data", "photos"}, {"epochs", "2"}});
    for (const auto& [name, value] : more) raw[name] = {value, "option"};
    return raw;
  };
  EXPECT_NE(
      only_problem(training({{"resume", "on"}})).find("needs an --output that stays the same"),
      std::string::npos);
  EXPECT_NE(only_problem(training({{"resume", "on"}, {"output", "a-{date}"}})), "");
  const auto settings =
      good(training({{"resume", "on"}, {"output", "a"}, {"checkpoint_every", "10m"}}), laptop());
  EXPECT_TRUE(settings.checkpoints.resume);
  EXPECT_EQ(settings.checkpoints.every, "10m");
  EXPECT_EQ(settings.checkpoints.keep, 2);
}

TEST(Resolve, PrecisionIsRefusedWhereTheHardwareLacksIt) {
  EXPECT_NE(only_problem(given({{"precision", "tf32"}})), "");
  EXPECT_NE(only_problem(given({{"precision", "amp-bf16"}})), "");
  EXPECT_NE(only_problem(given({{"precision", "amp-bf16"}}), with_gpus({kOldGpu})), "");
  EXPECT_EQ(good(given({{"precision", "amp-bf16"}}), with_gpus({kNewGpu})).parallel.precision,
            Precision::kAmpBf16);
  const Surroundings mixed = with_gpus({kNewGpu, kOldGpu});  // one rank computes on the first
  EXPECT_EQ(
      good(given({{"precision", "amp-bf16"}, {"nproc_per_node", "1"}}), mixed).parallel.precision,
      Precision::kAmpBf16);
  EXPECT_NE(only_problem(given({{"precision", "amp-bf16"}, {"nproc_per_node", "2"}}), mixed)
                .find("GPU 1 (old): "),
            std::string::npos);
  Surroundings amx = laptop();
  amx.machine.cpu_flags = "fpu amx_bf16 sse";
  EXPECT_EQ(good(given({{"precision", "amp-bf16"}}), amx).parallel.precision, Precision::kAmpBf16);
}

TEST(Resolve, ListsAllProblemsAtOnceAndJudgesNothingTwice) {
  const Resolution resolution = resolve(given({{"batch_size", "-1"},
                                               {"precision", "fp8"},
                                               {"workload", "nosuch"},
                                               {"iters", "0"},
                                               {"epochs", "2"},
                                               {"data", "tree"},
                                               {"device", "tpu"}}),
                                        laptop());
  EXPECT_EQ(resolution.problems.size(), 5u);
  try {
    refuse_if_invalid(resolution.problems);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.record().exit_code, ExitCode::kConfiguration);
    for (const char* name : {"--batch-size", "--precision", "--workload", "--iters", "--device"}) {
      EXPECT_NE(error.record().what.find(name), std::string::npos) << name;
    }
  }
}

TEST(Resolve, AnOptionThatTheWorkloadDoesNotUseIsANote) {
  const Resolution resolution =
      resolve(given({{"image_size", "64"}, {"overlap", "off"}, {"optimizer", "sgd"}}), laptop());
  EXPECT_TRUE(resolution.problems.empty());
  EXPECT_EQ(resolution.notes,
            (std::vector<std::string>{
                "--image-size has no effect: mlp does not use it",
                "--overlap has no effect: strategy none exchanges no gradients",
                "--optimizer sgd runs at the recipe's learning rate for adam (0.001); give "
                "--learning-rate to choose another"}));
}

TEST(Resolve, MixingWithinABatchOfOneIsANote) {
  const auto notes = [](const char* batch_size) {
    return resolve(given({{"workload", "resnet50"},
                          {"data", "photos"},
                          {"batch_size", batch_size},
                          {"mixup", "0.2"},
                          {"random_erasing", "0.2"},
                          {"iters", "9"}}),
                   laptop())
        .notes;
  };
  EXPECT_EQ(notes("1"), std::vector<std::string>{"--mixup has no effect: images are mixed within a "
                                                 "batch, which holds one"});
  EXPECT_EQ(notes("2"), std::vector<std::string>{});
}

TEST(Resolve, ARecipesRateForAFarLargerBatchIsANoteOfATraining) {
  const auto notes = [](const RawSettings& more) {
    RawSettings raw = given({{"workload", "resnet50"}, {"data", "photos"}, {"batch_size", "8"}});
    for (const auto& [name, value] : more) raw[name] = value;
    return resolve(raw, laptop()).notes;
  };
  EXPECT_EQ(notes(given({{"epochs", "2"}})),
            (std::vector<std::string>{
                "the recipe's learning rate (0.1) is for a global batch of 256, here it is 8; "
                "--lr-scaling linear or --learning-rate fits it"}));
  EXPECT_TRUE(notes(given({})).empty());
  EXPECT_TRUE(notes(given({{"epochs", "2"}, {"lr_scaling", "linear"}})).empty());
  EXPECT_TRUE(notes(given({{"epochs", "2"}, {"learning_rate", "0.1"}})).empty());
  EXPECT_TRUE(notes(given({{"epochs", "2"}, {"batch_size", "128"}})).empty());
}

}  // namespace
}  // namespace scalemark::settings
