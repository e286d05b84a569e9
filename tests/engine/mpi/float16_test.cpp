#include "engine/mpi/float16.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace scalemark::mpi {
namespace {

// Every pair of some values, those that round and those at the edges among them.
std::pair<at::Tensor, at::Tensor> pairs(at::ScalarType type) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> values{0,     -0.0F, 1,    1.0009766F, -3.14159F,
                                  255,   257,   2048, 65504,      -65504,
                                  6e-8F, 1e-5F, inf,  -inf,       std::nanf("")};
  const auto n = static_cast<std::int64_t>(values.size());
  at::Tensor a = at::empty({n, n}), b = at::empty({n, n});
  for (std::int64_t i = 0; i < n; ++i) {
    a.select(0, i).fill_(values[static_cast<std::size_t>(i)]);
    b.select(1, i).fill_(values[static_cast<std::size_t>(i)]);
  }
  return {a.to(type).contiguous(), b.to(type).contiguous()};
}

at::Tensor combined(DataType type, Operation operation, const at::Tensor& in, at::Tensor inout) {
  combine_float16(type, operation, in.const_data_ptr(), inout.mutable_data_ptr(), in.numel());
  return inout;
}

void expect_same(const at::Tensor& seen, const at::Tensor& expected) {
  EXPECT_TRUE(seen.isnan().equal(expected.isnan()));
  EXPECT_TRUE(seen.nan_to_num().equal(expected.nan_to_num()));
}

TEST(Float16, CombinesAsTorchDoes) {
  for (const auto& [torch_type, type] :
       {std::pair(at::kHalf, DataType::kFloat16), std::pair(at::kBFloat16, DataType::kBFloat16)}) {
    const auto [a, b] = pairs(torch_type);
    expect_same(combined(type, Operation::kSum, a, b.clone()), a + b);
    expect_same(combined(type, Operation::kMin, a, b.clone()), at::minimum(a, b));
    expect_same(combined(type, Operation::kMax, a, b.clone()), at::maximum(a, b));
  }
}

}  // namespace
}  // namespace scalemark::mpi
