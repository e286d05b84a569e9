#include "engine/running/fresh_batches.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>

#include <chrono>
#include <mutex>
#include <utility>

#include "core/base/durations.h"
#include "data/sample_random.h"

namespace scalemark::running {
namespace {

constexpr int kBitsOfSteps = 40;

class FreshBatches final : public BatchSource {
 public:
  FreshBatches(const data::HostBatch& example, RandomRanges ranges, std::uint64_t seed)
      : example_(data::to_tensors(example)),
        ranges_(std::move(ranges)),
        seed_(seed),
        random_(at::detail::createCPUGenerator()) {}

  data::Batch next() override {
    const auto start = std::chrono::steady_clock::now();
    begin_stream(seed_ + static_cast<std::uint64_t>(next_++));
    data::Batch batch = example_;
    for (auto& [name, tensor] : batch.tensors) tensor = fresh(name, tensor);
    batch.wait_s = seconds_since(start);
    return batch;
  }

  void seek(std::int64_t batches) override { next_ = batches; }

 private:
  // Torch's generator of the CPU takes 32 bits of a seed.
  void begin_stream(std::uint64_t seed) {
    const std::lock_guard lock(random_.mutex());
    random_.set_current_seed(data::SampleRandom(seed).next() >> 32);
  }

  at::Tensor fresh(const std::string& name, const at::Tensor& like) {
    if (like.is_floating_point()) return at::randn(like.sizes(), random_, like.options());
    const auto range = ranges_.find(name);
    if (range == ranges_.end()) return like;
    return at::randint(range->second.low, range->second.end, like.sizes(), random_, like.options());
  }

  data::Batch example_;
  RandomRanges ranges_;
  std::uint64_t seed_;
  at::Generator random_;
  std::int64_t next_ = 0;
};

}  // namespace

RandomRanges random_ranges(const catalogue::Workload& workload,
                           const catalogue::ModelShape& shape) {
  if (workload.data_kind == catalogue::DataKind::kText) {
    return {{"input_ids", {1, shape.vocab_size}},  // 0 is padding
            {"masked_labels", {1, shape.vocab_size}},
            {"next_sentence_label", {0, 2}}};
  }
  return {{"image", {0, 256}}, {"label", {0, shape.classes}}};
}

std::uint64_t first_seed(const settings::Settings& settings, int rank) {
  return settings.recipe.seed + (static_cast<std::uint64_t>(rank + 1) << kBitsOfSteps);
}

std::unique_ptr<BatchSource> fresh_batches(const data::HostBatch& example, RandomRanges ranges,
                                           std::uint64_t seed) {
  return std::make_unique<FreshBatches>(example, std::move(ranges), seed);
}

}  // namespace scalemark::running
