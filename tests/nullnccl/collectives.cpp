#include "tests/nullnccl/collectives.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace nullnccl {
namespace {

class Exchange {
 public:
  Exchange(Segment& segment, int rank, const Operation& operation,
           const std::function<bool()>& aborted)
      : segment_(segment),
        rank_(rank),
        operation_(operation),
        aborted_(aborted),
        width_(size_of(operation.type)),
        bytes_(operation.count * width_) {}

  void run() {
    switch (operation_.kind) {
      case Kind::kAllReduce:
        return reduce_part(0, true);
      case Kind::kReduce:
        return reduce_part(0, rank_ == operation_.root);
      case Kind::kReduceScatter:
        for (int to = 0; to < segment_.size(); ++to) reduce_part(block(to), rank_ == to);
        return;
      case Kind::kBroadcast:
        return move(rank_ == operation_.root, 0, [&](int from) {
          return from == operation_.root ? static_cast<std::byte*>(operation_.output) : nullptr;
        });
      case Kind::kAllGather:
        return move(true, 0, [&](int from) { return output_block(from); });
      case Kind::kGather:
        return move(true, 0, [&](int from) {
          return rank_ == operation_.root ? output_block(from) : nullptr;
        });
      case Kind::kScatter:
        return scatter_from(operation_.root);
      case Kind::kAllToAll:
        for (int from = 0; from < segment_.size(); ++from) scatter_from(from, from);
        return;
      default:
        return;
    }
  }

 private:
  std::size_t block(int number) const { return static_cast<std::size_t>(number) * bytes_; }
  std::byte* output_block(int number) const {
    return static_cast<std::byte*>(operation_.output) + block(number);
  }
  std::byte* slot(int number) { return segment_.rank(number).slot; }
  void meet() { segment_.barrier(aborted_); }

  void lay(std::size_t at, std::size_t length) {
    std::memcpy(slot(rank_), static_cast<const std::byte*>(operation_.input) + at, length);
  }

  // `wanted(from)`: where the block that rank `from` lays down goes; null: this rank wants none.
  template <class Wanted>
  void move(bool gives, std::size_t input_at, Wanted wanted) {
    for (std::size_t at = 0; at < bytes_; at += kSlotBytes) {
      const std::size_t length = std::min(kSlotBytes, bytes_ - at);
      if (gives) lay(input_at + at, length);
      meet();
      for (int from = 0; from < segment_.size(); ++from) {
        if (std::byte* to = wanted(from)) std::memcpy(to + at, slot(from), length);
      }
      meet();
    }
  }

  // Rank `giver` hands each rank its block, which lands in the receiver's block `landing`.
  void scatter_from(int giver, int landing = 0) {
    for (int to = 0; to < segment_.size(); ++to) {
      move(rank_ == giver, block(to), [&](int from) {
        return from == giver && rank_ == to ? output_block(landing) : nullptr;
      });
    }
  }

  void reduce_part(std::size_t input_at, bool receives) {
    for (std::size_t at = 0; at < bytes_; at += kSlotBytes) {
      const std::size_t length = std::min(kSlotBytes, bytes_ - at);
      lay(input_at + at, length);
      if (operation_.reduction.multiplies) {
        multiply(slot(rank_), length / width_, operation_.type, operation_.reduction.factor);
      }
      meet();
      if (receives) {
        std::vector<const void*> inputs;
        for (int from = 0; from < segment_.size(); ++from) inputs.push_back(slot(from));
        reduce(inputs, static_cast<std::byte*>(operation_.output) + at, length / width_,
               operation_.type, operation_.reduction.op);
      }
      meet();
    }
  }

  Segment& segment_;
  int rank_;
  const Operation& operation_;
  const std::function<bool()>& aborted_;
  std::size_t width_, bytes_;
};

}  // namespace

void run_collective(Segment& segment, int rank, const Operation& operation,
                    const std::function<bool()>& aborted) {
  Exchange(segment, rank, operation, aborted).run();
}

}  // namespace nullnccl
