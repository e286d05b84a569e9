#include <ATen/Context.h>
#include <gtest/gtest.h>

#include "engine/process/run_request.h"

namespace scalemark::process {
namespace {

// Filling every new tensor, torch's default with deterministic algorithms, changes no result of a
// program that reads nothing it has not written.
TEST(ComputeSettings, DeterministicAlgorithmsDoNotFillNewTensors) {
  apply_compute_settings({.threads = 1, .deterministic = true});
  EXPECT_TRUE(at::globalContext().deterministicAlgorithms());
  EXPECT_FALSE(at::globalContext().deterministicFillUninitializedMemory());
  apply_compute_settings({.threads = 1, .deterministic = false});
  EXPECT_FALSE(at::globalContext().deterministicAlgorithms());
}

}  // namespace
}  // namespace scalemark::process
