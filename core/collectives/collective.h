// Collective communication as options, plans and reports know it: its words, the sizes of its
// messages, and how much of the data each rank has. Pure; definitions and formulas:
// METRICS.md, "Collectives".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

// Sizes of messages as people type them: bytes as nccl-tests counts them, or elements.
struct MessageSize {
  std::int64_t count = 0;  // bytes or elements, from 1 on
  bool elements = false;
  bool operator==(const MessageSize&) const = default;
};

inline constexpr std::int64_t kLargestSize = std::int64_t{1} << 50;

// "4KiB", "1MB", "4096B", "4096" (bytes); "1Mi:elem", "1000:elem". Absent for anything else, for
// nothing and for more than kLargestSize.
std::optional<MessageSize> parse_message_size(std::string_view text);

// "LOW..HIGH*RATIO" or "LOW..HIGH+STEP", ends and step given apart: ends of one kind (bytes or
// elements), LOW <= HIGH, a whole ratio from 2 on or a step of the same kind. Ends at the last size
// that does not exceed HIGH. Empty for what is no such range and for more than `most` sizes.
std::vector<MessageSize> size_range(std::string_view low, std::string_view high,
                                    std::string_view step, bool geometric, std::size_t most);

// The form that parse_message_size() reads back, in the largest unit that holds it whole: "4KiB",
// "1008B", "1Mi:elem".
std::string to_text(const MessageSize& size);

// Elements of `type` that the size holds; a rest of bytes is dropped. 0: less than one element.
std::int64_t elements_of(const MessageSize& size, DataType type);

// --- How much each rank has of a collective's data, in elements. The size of a collective is
// counted as nccl-tests does: of all-gather, gather, reduce-scatter and all-to-all the whole, of
// which each rank has an equal share; of the others what every rank has. Source: nccl-tests,
// doc/PERFORMANCE.md and the ...GetCollByteCount() of its programs.

// Some collectives have one rank at which everything begins or ends.
inline constexpr int kRoot = 0;

// Whether ranks own shares of the whole.
bool is_shared(Collective collective);

// Whether the collective adds what the ranks have.
bool is_reduction(Collective collective);

// The size that is measured where `elements` are asked for. Shares are rounded down to 16 bytes, as
// in nccl-tests, and, where they are smaller than that, to whole elements. 0 for a barrier. Absent:
// too small, a rank's share would be nothing.
std::optional<std::int64_t> measured_elements(Collective collective, std::int64_t elements,
                                              DataType type, int world_size);

// An exchange is the whole, among so many ranks.
struct Exchange {
  Collective collective = Collective::kAllReduce;
  int world_size = 1;
  std::int64_t elements = 0;  // by measured_elements()
  std::uint64_t round = 0;    // changes every value (check.h)
};

// Elements of a rank's share; of collectives without shares the whole.
std::int64_t share_of(const Exchange& exchange);

// Elements of `rank`'s sending and receiving buffers. Broadcast: every rank has both. Reduce and
// gather: only the root receives. Barrier: none.
std::int64_t input_elements(const Exchange& exchange);
std::int64_t output_elements(const Exchange& exchange, int rank);

// Bytes of both buffers of the rank that needs most; in place they are one.
std::int64_t buffer_bytes(const Exchange& exchange, DataType type, bool in_place);

}  // namespace scalemark::collectives
