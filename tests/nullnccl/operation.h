// One communication as it was asked for; nothing here runs it.
#pragma once

#include <nccl.h>

#include <cstddef>

#include "tests/nullnccl/reduction.h"

namespace nullnccl {

enum class Kind {
  kAllReduce,
  kBroadcast,
  kReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kGather,
  kScatter,
  kSend,
  kReceive,
};

inline bool is_point_to_point(Kind kind) { return kind == Kind::kSend || kind == Kind::kReceive; }
inline bool reduces(Kind kind) {
  return kind == Kind::kAllReduce || kind == Kind::kReduce || kind == Kind::kReduceScatter;
}

struct Operation {
  Kind kind = Kind::kAllReduce;
  const void* input = nullptr;
  void* output = nullptr;
  // A gather or scatter counts the elements of its smaller side, as NCCL's signatures do.
  std::size_t count = 0;
  ncclDataType_t type = ncclFloat32;
  Reduction reduction;
  int root = 0;  // the peer of a send or receive
  cudaStream_t stream = nullptr;
  bool hangs = false;
};

}  // namespace nullnccl
