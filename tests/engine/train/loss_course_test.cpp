#include <ATen/ops/scalar_tensor.h>
#include <gtest/gtest.h>

#include "engine/train/results/losses.h"

namespace scalemark::running {
namespace {

TEST(LossCourse, JoinsWarmUpAndWindow) {
  LossCourse course;
  at::Tensor loss = at::scalar_tensor(0.0, at::kFloat);
  for (std::int64_t step = 1; step <= 20; ++step) {
    loss.fill_(static_cast<double>(step));  // the step's own tensor may be written again
    course.note(step, loss);
  }
  const auto joined = course.with_window(20, {21, 22, 23, 24, 25});
  std::vector<std::int64_t> steps;
  for (const auto& at : joined) {
    steps.push_back(at.step);
    EXPECT_EQ(at.loss, static_cast<double>(at.step));
  }
  EXPECT_EQ(steps, (std::vector<std::int64_t>{1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                              11, 12, 13, 14, 15, 16, 18, 20, 22, 24}));
}

}  // namespace
}  // namespace scalemark::running
