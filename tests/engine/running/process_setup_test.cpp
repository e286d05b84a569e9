#include "engine/running/process_setup.h"

#include <ATen/Context.h>
#include <gtest/gtest.h>

namespace scalemark::running {
namespace {

// Filling every new tensor, torch's default with deterministic algorithms, changes no result of a
// program that reads nothing it has not written.
TEST(ComputeSettings, DeterministicAlgorithmsDoNotFillNewTensors) {
  settings::Settings settings;
  settings.parallel.threads = 1;
  settings.recipe.deterministic = true;
  apply_compute_settings(settings);
  EXPECT_TRUE(at::globalContext().deterministicAlgorithms());
  EXPECT_FALSE(at::globalContext().deterministicFillUninitializedMemory());
  settings.recipe.deterministic = false;
  apply_compute_settings(settings);
  EXPECT_FALSE(at::globalContext().deterministicAlgorithms());
}

}  // namespace
}  // namespace scalemark::running
