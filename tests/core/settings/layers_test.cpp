#include "core/settings/layers.h"

#include <gtest/gtest.h>

namespace scalemark::settings {
namespace {

TEST(MergeLayers, TheStrongerSourceWinsAndIsNamed) {
  Sources sources{
      .config_files = {{"a.json", R"({"iters": 1, "batch_size": 1, "seed": 1, "lr": 1})"},
                       {"b.json", R"({"iters": 2, "batch_size": 2, "seed": 2})"}},
      .environment = {{"SCALEMARK_ITERS", "3"}, {"SCALEMARK_BATCH_SIZE", "3"}},
      .options = {{"iters", "4"}},
      .set = {}};
  Layers layers = merge_layers(sources, kTrain);
  EXPECT_TRUE(layers.problems.empty());
  EXPECT_EQ(layers.raw["learning_rate"].origin, "config a.json");
  EXPECT_EQ(layers.raw["seed"].text, "2");
  EXPECT_EQ(layers.raw["seed"].origin, "config b.json");
  EXPECT_EQ(layers.raw["batch_size"].text, "3");
  EXPECT_EQ(layers.raw["batch_size"].origin, "environment");
  EXPECT_EQ(layers.raw["iters"].text, "4");
  EXPECT_EQ(layers.raw["iters"].origin, "option");

  sources.set = {"iters=5"};
  layers = merge_layers(sources, kTrain);
  EXPECT_EQ(layers.raw["iters"].text, "5");
  EXPECT_EQ(layers.raw["iters"].origin, "set");
}

TEST(MergeLayers, UnknownNamesAreProblemsWithANearMatch) {
  const Layers layers = merge_layers({.config_files = {},
                                      .environment = {{"SCALEMARK_BATCHSIZE", "3"},
                                                      {"SCALEMARK_RANK_SPEC", "{}"},
                                                      {"SCALEMARK_CONFIG", "x"},
                                                      {"HOME", "/"}},
                                      .options = {},
                                      .set = {"iter=3", "iters", "=3"}},
                                     kTrain);
  ASSERT_EQ(layers.problems.size(), 5u);
  EXPECT_EQ(to_line(layers.problems[0]),
            "SCALEMARK_BATCHSIZE is '3' (from environment); no option has this name. Hint: did you "
            "mean 'batch_size'?");
  EXPECT_EQ(to_line(layers.problems[2]),
            "--set is 'iter=3' (from set); unknown key 'iter'. Hint: did you mean 'iters'?");
  EXPECT_EQ(to_line(layers.problems[3]), "--set is 'iters' (from set); KEY=VALUE is expected.");
  EXPECT_TRUE(layers.raw.empty());
}

TEST(MergeLayers, AVariableOfAnotherCommandIsANote) {
  const Layers layers = merge_layers(
      {.config_files = {}, .environment = {{"SCALEMARK_CLASSES", "3"}}, .options = {}, .set = {}},
      kTrain);
  EXPECT_TRUE(layers.problems.empty());
  EXPECT_TRUE(layers.raw.empty());
  ASSERT_EQ(layers.notes.size(), 1u);
  EXPECT_EQ(layers.notes[0], "SCALEMARK_CLASSES has no meaning for train");
}

// The names and values that Kubernetes documents, for Services scalemark and scalemark-metrics.
TEST(MergeLayers, VariablesOfAKubernetesServiceArePassedOverWithOneNote) {
  std::map<std::string, std::string> links{{"SCALEMARK_SERVICE_HOST", "10.0.0.5"},
                                           {"SCALEMARK_SERVICE_PORT", "29500"},
                                           {"SCALEMARK_SERVICE_PORT_RENDEZVOUS", "29500"},
                                           {"SCALEMARK_PORT", "tcp://10.0.0.5:29500"},
                                           {"SCALEMARK_METRICS_SERVICE_HOST", "fd00::5"},
                                           {"SCALEMARK_METRICS_PORT", "udp://[fd00::5]:9090"},
                                           {"SCALEMARK_METRICS_SERVICE_PORT_HTTP_2", "9090"}};
  for (const std::string name : {"SCALEMARK", "SCALEMARK_METRICS"}) {
    for (const std::string protocol : {"TCP", "UDP", "SCTP"}) {
      const std::string port = name + "_PORT_29500_" + protocol;
      links[port] = "tcp://10.0.0.5:29500";
      links[port + "_PROTO"] = "tcp";
      links[port + "_PORT"] = "29500";
      links[port + "_ADDR"] = "10.0.0.5";
    }
  }
  const std::string first = links.begin()->first;
  const std::string more = std::to_string(links.size() - 1);
  links["SCALEMARK_SEED"] = "7";
  for (const Command command : {kTrain, kDoctor, kReport, kCompare}) {
    const Layers layers = merge_layers({.environment = links}, command);
    EXPECT_TRUE(layers.problems.empty()) << to_line(layers.problems.front());
    ASSERT_FALSE(layers.notes.empty());
    EXPECT_EQ(layers.notes.back(),
              first + " and " + more +
                  " more are of a Kubernetes Service and not read; enableServiceLinks: false in "
                  "the pod's spec leaves such variables out");
    EXPECT_EQ(layers.notes.size(), command == kTrain ? 1u : 2u);
    EXPECT_EQ(layers.raw.size(), command == kTrain ? 1u : 0u);
  }
}

TEST(MergeLayers, WhatOnlyResemblesAServiceIsStillRefused) {
  for (const auto& [name, value] :
       std::map<std::string, std::string>{{"SCALEMARK_PORT", "29500"},
                                          {"SCALEMARK_BATCHSIZE", "8"},
                                          {"SCALEMARK_SERVICE", "10.0.0.5"},
                                          {"SCALEMARK_HOST", "tcp://10.0.0.5:29500"},
                                          {"SCALEMARK_PORT_29500", "tcp://10.0.0.5:29500"},
                                          {"SCALEMARK_PORT_29500_HTTP", "tcp://10.0.0.5:29500"}}) {
    const Layers layers = merge_layers({.environment = {{name, value}}}, kTrain);
    EXPECT_EQ(layers.problems.size(), 1u) << name;
  }
  const Layers layers = merge_layers({.environment = {{"SCALEMARK_METRICS_PORT", "9090"}}}, kTrain);
  EXPECT_EQ(layers.raw.at("metrics_port").text, "9090");
}

TEST(MergeLayers, WhereTorchIsMaySayACommandWithoutIt) {
  const Layers layers = merge_layers(
      {.config_files = {}, .environment = {{"SCALEMARK_TORCH", "x"}}, .options = {}, .set = {}},
      kReport);
  EXPECT_TRUE(layers.problems.empty() && layers.raw.empty() && layers.notes.empty());
}

TEST(MergeLayers, ASetValueMayHoldEqualsSigns) {
  Layers layers = merge_layers(
      {.config_files = {}, .environment = {}, .options = {}, .set = {"timeout=rendezvous=60"}},
      kTrain);
  EXPECT_EQ(layers.raw["timeout"].text, "rendezvous=60");
}

}  // namespace
}  // namespace scalemark::settings
