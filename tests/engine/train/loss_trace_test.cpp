#include <ATen/ops/scalar_tensor.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/base/error.h"
#include "engine/train/results/losses.h"

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

TEST(LossTrace, FetchesAHistoryWhenItIsFullAndAtTheEnd) {
  constexpr std::int64_t kSteps = 2 * training::LossHistory::kSteps + 5;
  training::LossHistory history(c10::kCPU);
  const auto step = [&](double loss) { history.write(at::scalar_tensor(loss, at::kDouble)); };
  for (const double loss : {-1.0, -2.0, -3.0}) step(loss);  // the warm-up writes these
  EXPECT_EQ(history.last().item<float>(), -3);
  LossTrace trace(c10::kCPU, kSteps, &history);
  std::vector<double> expected;
  for (std::int64_t i = 0; i < kSteps; ++i) {
    step(static_cast<double>(i));
    trace.push(history.last());
    expected.push_back(static_cast<double>(i));
  }
  EXPECT_FALSE(trace.latest()) << "it may still be on the device";
  EXPECT_EQ(trace.values(), expected);
  EXPECT_EQ(trace.values(), expected) << "asked again";
  EXPECT_THROW(trace.push(history.last()), Error);
  EXPECT_THROW(history.latest(training::LossHistory::kSteps + 1), Error);
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
