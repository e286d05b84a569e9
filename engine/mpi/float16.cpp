#include "engine/mpi/float16.h"

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <cmath>

#include "core/base/error.h"

namespace scalemark::mpi {
namespace {

struct Sum {
  float operator()(float a, float b) const { return a + b; }
};
struct Min {
  float operator()(float a, float b) const { return std::isnan(a) || a < b ? a : b; }
};
struct Max {
  float operator()(float a, float b) const { return std::isnan(a) || a > b ? a : b; }
};

template <class Float16, class Combine>
void combine(const void* in, void* inout, std::int64_t n, Combine together) {
  const auto* from = static_cast<const Float16*>(in);
  auto* into = static_cast<Float16*>(inout);
  for (std::int64_t i = 0; i < n; ++i) {
    into[i] = Float16(together(static_cast<float>(from[i]), static_cast<float>(into[i])));
  }
}

template <class Float16>
void combine(Operation operation, const void* in, void* inout, std::int64_t n) {
  switch (operation) {
    case Operation::kSum:
      return combine<Float16>(in, inout, n, Sum{});
    case Operation::kMin:
      return combine<Float16>(in, inout, n, Min{});
    case Operation::kMax:
      return combine<Float16>(in, inout, n, Max{});
  }
}

}  // namespace

void combine_float16(DataType type, Operation operation, const void* in, void* inout,
                     std::int64_t n) {
  if (type == DataType::kFloat16) return combine<c10::Half>(operation, in, inout, n);
  if (type == DataType::kBFloat16) return combine<c10::BFloat16>(operation, in, inout, n);
  throw bug("no 16-bit float");
}

std::size_t bytes_of(DataType type) {
  switch (type) {
    case DataType::kUint8:
      return 1;
    case DataType::kFloat16:
    case DataType::kBFloat16:
      return 2;
    case DataType::kFloat32:
    case DataType::kInt32:
      return 4;
    case DataType::kFloat64:
    case DataType::kInt64:
      return 8;
  }
  throw bug("an unknown data type");
}

}  // namespace scalemark::mpi
