// Strategy flat: gradients live in a few flat buffers, each averaged by one all-reduce while
// backward goes on.
#include <memory>
#include <torch/csrc/distributed/c10d/Work.hpp>
#include <utility>
#include <vector>

#include "engine/training/bucketed.h"

namespace scalemark::training {
namespace {

class Flat final : public Bucketed {
 public:
  explicit Flat(const StrategyInput& input)
      : Bucketed(input, bucket_layouts(input.parameters, input.settings)),
        sent_(buckets().size()),
        works_(buckets().size()) {}

 private:
  // Compressed gradients are divided after rounding, as ddp's hook does it: divided before, fp16
  // below 2^-14 would be rounded differently.
  void send(std::size_t bucket) override {
    at::Tensor sent = buckets().buffers()[bucket];
    if (compressed()) sent = sent.to(*compressed()).div_(group().getSize());
    sent_[bucket] = {sent};
    works_[bucket] = group().allreduce(sent_[bucket], c10d::AllreduceOptions());
  }

  void receive(std::size_t bucket) override {
    works_[bucket]->wait();
    works_[bucket].reset();
    if (compressed()) buckets().buffers()[bucket].copy_(sent_[bucket].front());
    sent_[bucket].clear();
  }

  std::vector<std::vector<at::Tensor>> sent_;
  std::vector<c10::intrusive_ptr<c10d::Work>> works_;
};

}  // namespace

std::unique_ptr<Strategy> make_flat(StrategyInput input) { return std::make_unique<Flat>(input); }

}  // namespace scalemark::training
