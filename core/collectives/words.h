// The words of collective communication, as options, plans and reports use them. Definitions and
// formulas: docs/METRICS.md, "Collectives".
#pragma once

#include "core/base/words.h"

namespace scalemark::collectives {

enum class Collective {
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kBroadcast,
  kReduce,
  kGather,
  kAllToAll,
  kSendRecv,  // each rank sends to the next one of a ring
  kBarrier
};
constexpr auto words_of(Collective) {
  return std::to_array<Word<Collective>>({{Collective::kAllReduce, "all-reduce"},
                                          {Collective::kAllGather, "all-gather"},
                                          {Collective::kReduceScatter, "reduce-scatter"},
                                          {Collective::kBroadcast, "broadcast"},
                                          {Collective::kReduce, "reduce"},
                                          {Collective::kGather, "gather"},
                                          {Collective::kAllToAll, "all-to-all"},
                                          {Collective::kSendRecv, "send-recv"},
                                          {Collective::kBarrier, "barrier"}});
}

enum class DataType { kFp32, kFp16, kBf16, kInt32 };
constexpr auto words_of(DataType) {
  return std::to_array<Word<DataType>>({{DataType::kFp32, "fp32"},
                                        {DataType::kFp16, "fp16"},
                                        {DataType::kBf16, "bf16"},
                                        {DataType::kInt32, "int32"}});
}
constexpr int bytes_of(DataType type) {
  return type == DataType::kFp16 || type == DataType::kBf16 ? 2 : 4;
}

// How a collective is called: through torch's c10d, as training does, or straight at the library.
enum class Via { kC10d, kDirect };
constexpr auto words_of(Via) {
  return std::to_array<Word<Via>>({{Via::kC10d, "c10d"}, {Via::kDirect, "direct"}});
}

// Where data of a GPU passes on its way: nowhere else, or through memory of the host.
enum class Staging { kNone, kHost };
constexpr auto words_of(Staging) {
  return std::to_array<Word<Staging>>({{Staging::kNone, "none"}, {Staging::kHost, "host"}});
}

}  // namespace scalemark::collectives
