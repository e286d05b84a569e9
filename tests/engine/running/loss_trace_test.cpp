#include "engine/running/results/loss_trace.h"

#include <ATen/ops/scalar_tensor.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/base/error.h"

namespace scalemark::running {
namespace {

TEST(LossTrace, KeepsEveryLossInItsOwnPrecision) {
  LossTrace trace(c10::kCPU, 3);
  EXPECT_FALSE(trace.latest());
  trace.push(at::scalar_tensor(0.1, at::kFloat));
  trace.push(at::scalar_tensor(0.1, at::kDouble));
  EXPECT_EQ(trace.latest(), 0.1);
  EXPECT_EQ(trace.values(), (std::vector<double>{static_cast<double>(0.1F), 0.1}));
}

TEST(LossTrace, RefusesMoreThanItsRoom) {
  LossTrace trace(c10::kCPU, 1);
  trace.push(at::scalar_tensor(1.0));
  EXPECT_THROW(trace.push(at::scalar_tensor(1.0)), Error);
}

TEST(RequireFinite, NamesTheFirstBadStepOfTheRun) {
  require_finite({1, 2, 3}, 20);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  try {
    require_finite({1, infinity, nan}, 20);
    FAIL() << "an infinite loss was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.record().exit_code, ExitCode::kNumerics);
    EXPECT_EQ(error.record().step, 21);
    EXPECT_EQ(error.record().what, "the loss became infinite");
  }
}

}  // namespace
}  // namespace scalemark::running
