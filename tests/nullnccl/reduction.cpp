#include "tests/nullnccl/reduction.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "tests/nullnccl/small_floats.h"

namespace nullnccl {
namespace {

// Calls `call` with a value of the C++ type; false for a type that cannot be computed with.
template <class Call>
bool with_type(ncclDataType_t type, Call call) {
  switch (type) {
    case ncclInt8:
      return call(std::int8_t{}), true;
    case ncclUint8:
      return call(std::uint8_t{}), true;
    case ncclInt32:
      return call(std::int32_t{}), true;
    case ncclUint32:
      return call(std::uint32_t{}), true;
    case ncclInt64:
      return call(std::int64_t{}), true;
    case ncclUint64:
      return call(std::uint64_t{}), true;
    case ncclFloat16:
      return call(Half{}), true;
    case ncclFloat32:
      return call(float{}), true;
    case ncclFloat64:
      return call(double{}), true;
    case ncclBfloat16:
      return call(Bfloat16{}), true;
    default:
      return false;
  }
}

template <class T>
constexpr bool is_small = std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16>;

template <class T>
auto wide(T value) {
  if constexpr (is_small<T>) {
    return widen(value);
  } else {
    return value;
  }
}

template <class T, class Wide>
T narrow(Wide value) {
  if constexpr (is_small<T>) {
    return narrow_to(T{}, static_cast<float>(value));
  } else {
    return static_cast<T>(value);
  }
}

template <class Wide>
Wide combine(ncclRedOp_t op, Wide a, Wide b) {
  switch (op) {
    case ncclProd:
      return static_cast<Wide>(a * b);
    case ncclMax:
      return std::max(a, b);
    case ncclMin:
      return std::min(a, b);
    default:
      return static_cast<Wide>(a + b);
  }
}

template <class T>
void reduce_as(const std::vector<const void*>& inputs, T* output, std::size_t count,
               ncclRedOp_t op) {
  for (std::size_t i = 0; i < count; ++i) {
    auto value = wide(static_cast<const T*>(inputs[0])[i]);
    for (std::size_t rank = 1; rank < inputs.size(); ++rank) {
      value = combine(op, value, wide(static_cast<const T*>(inputs[rank])[i]));
    }
    if (op == ncclAvg)
      value = static_cast<decltype(value)>(value / static_cast<decltype(value)>(inputs.size()));
    output[i] = narrow<T>(value);
  }
}

}  // namespace

std::size_t size_of(ncclDataType_t type) {
  if (type == ncclFloat8e4m3 || type == ncclFloat8e5m2) return 1;
  std::size_t size = 0;
  with_type(type, [&](auto zero) { size = sizeof zero; });
  return size;
}

bool can_reduce(ncclDataType_t type) {
  return with_type(type, [](auto) {});
}

double scalar_at(const void* address, ncclDataType_t type) {
  double value = 1;
  with_type(type, [&](auto zero) {
    value = static_cast<double>(wide(*static_cast<const decltype(zero)*>(address)));
  });
  return value;
}

void reduce(const std::vector<const void*>& inputs, void* output, std::size_t count,
            ncclDataType_t type, ncclRedOp_t op) {
  with_type(type,
            [&](auto zero) { reduce_as(inputs, static_cast<decltype(zero)*>(output), count, op); });
}

void multiply(void* values, std::size_t count, ncclDataType_t type, double factor) {
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    using Wide = decltype(wide(zero));
    T* typed = static_cast<T*>(values);
    for (std::size_t i = 0; i < count; ++i) {
      typed[i] = narrow<T>(wide(typed[i]) * static_cast<Wide>(factor));
    }
  });
}

}  // namespace nullnccl
