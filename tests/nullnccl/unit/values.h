// Numbers of every NCCL type as doubles, written and read by torch's own 16-bit types: an oracle
// that shares no code with the null NCCL.
#pragma once

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <nccl.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace nullnccl_test {

struct TypeOf {
  ncclDataType_t type;
  const char* name;
  std::size_t size;
};

inline const std::vector<TypeOf>& reducible_types() {
  static const std::vector<TypeOf> all = {
      {ncclInt8, "int8", 1},     {ncclUint8, "uint8", 1},   {ncclInt32, "int32", 4},
      {ncclUint32, "uint32", 4}, {ncclInt64, "int64", 8},   {ncclUint64, "uint64", 8},
      {ncclFloat16, "fp16", 2},  {ncclBfloat16, "bf16", 2}, {ncclFloat32, "fp32", 4},
      {ncclFloat64, "fp64", 8},
  };
  return all;
}

// Values of one type in memory of their own.
class Values {
 public:
  Values(TypeOf type, std::size_t count) : type_(type), bytes_(count * type.size), count_(count) {}

  void* data() { return bytes_.data(); }
  std::size_t count() const { return count_; }

  void set(std::size_t i, double value) {
    switch (type_.type) {
      case ncclInt8:
        return store(i, static_cast<std::int8_t>(value));
      case ncclUint8:
        return store(i, static_cast<std::uint8_t>(value));
      case ncclInt32:
        return store(i, static_cast<std::int32_t>(value));
      case ncclUint32:
        return store(i, static_cast<std::uint32_t>(value));
      case ncclInt64:
        return store(i, static_cast<std::int64_t>(value));
      case ncclUint64:
        return store(i, static_cast<std::uint64_t>(value));
      case ncclFloat16:
        return store(i, c10::Half(static_cast<float>(value)));
      case ncclBfloat16:
        return store(i, c10::BFloat16(static_cast<float>(value)));
      case ncclFloat32:
        return store(i, static_cast<float>(value));
      case ncclFloat64:
        return store(i, value);
      default:
        throw std::logic_error("no such type");
    }
  }

  double at(std::size_t i) const {
    switch (type_.type) {
      case ncclInt8:
        return load<std::int8_t>(i);
      case ncclUint8:
        return load<std::uint8_t>(i);
      case ncclInt32:
        return load<std::int32_t>(i);
      case ncclUint32:
        return load<std::uint32_t>(i);
      case ncclInt64:
        return static_cast<double>(load<std::int64_t>(i));
      case ncclUint64:
        return static_cast<double>(load<std::uint64_t>(i));
      case ncclFloat16:
        return static_cast<float>(load<c10::Half>(i));
      case ncclBfloat16:
        return static_cast<float>(load<c10::BFloat16>(i));
      case ncclFloat32:
        return load<float>(i);
      case ncclFloat64:
        return load<double>(i);
      default:
        throw std::logic_error("no such type");
    }
  }

 private:
  template <class T>
  void store(std::size_t i, T value) {
    std::memcpy(bytes_.data() + i * sizeof value, &value, sizeof value);
  }
  template <class T>
  T load(std::size_t i) const {
    T value;
    std::memcpy(&value, bytes_.data() + i * sizeof value, sizeof value);
    return value;
  }

  TypeOf type_;
  std::vector<unsigned char> bytes_;
  std::size_t count_;
};

// Returns what rank `rank` puts at place `i`: small whole numbers, which every type holds exactly.
inline double value_of(int rank, std::size_t i) {
  return static_cast<double>((static_cast<std::size_t>(rank) * 3 + i * 5) % 7 + 1);
}

}  // namespace nullnccl_test
