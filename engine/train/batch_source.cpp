#include "engine/train/batch_source.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "core/base/durations.h"
#include "core/base/error.h"
#include "core/settings/processes.h"
#include "data/load/dataset.h"
#include "engine/step/copy_ahead.h"

namespace scalemark::running {

TrainingRanks training_ranks_of(const settings::Settings& settings, const launching::World& group) {
  const settings::Processes processes = settings::process_kind_of(settings.parallel);
  const int world_size = settings::world_size_of(settings);
  if (settings::process_count(processes, world_size) != group.world_size) {
    throw bug(std::to_string(group.world_size) + " processes for " + std::to_string(world_size) +
              " training ranks");
  }
  if (processes.count == catalogue::ProcessCount::kOne) {
    return {.first = 0, .count = world_size, .world_size = world_size};
  }
  return {.first = group.rank, .count = group.rank < world_size ? 1 : 0, .world_size = world_size};
}

namespace {

class CachedBatches final : public BatchSource {
 public:
  explicit CachedBatches(std::vector<data::Batch> batches) : batches_(std::move(batches)) {}

  data::Batch next() override {
    const data::Batch& batch = batches_[next_];
    next_ = (next_ + 1) % batches_.size();
    return batch;
  }

  void seek(std::int64_t batches) override {
    next_ = static_cast<std::size_t>(batches) % batches_.size();
  }

 private:
  std::vector<data::Batch> batches_;
  std::size_t next_ = 0;
};

class EndlessEpochs final : public BatchSource {
 public:
  EndlessEpochs(const data::Dataset& dataset, SamplingOptions options)
      : dataset_(dataset), options_(std::move(options)) {
    // The tail is dropped instead of padded, so that a window of steps holds no repeated sample.
    options_.drop_last = true;
    options_.loader.drop_short_batch = true;
    batches_per_epoch_ = dataset_.size() / options_.ranks.world_size / options_.loader.batch_size;
    if (batches_per_epoch_ == 0) {
      throw configuration("the data holds " + std::to_string(dataset_.size()) +
                              " training samples for " + std::to_string(options_.ranks.world_size) +
                              " rank(s)",
                          "one epoch must hold at least one batch of " +
                              std::to_string(options_.loader.batch_size) + " per rank",
                          "lower --batch-size or use more data");
    }
    seek(0);
  }

  void seek(std::int64_t batches) override {
    if (current_) skipped_before_ = skipped();
    epoch_ = batches / batches_per_epoch_;
    returned_ = batches % batches_per_epoch_;
    upcoming_.reset();
    current_ = open_epoch(dataset_, options_, epoch_, /*shuffle=*/true,
                          returned_ * options_.loader.batch_size * options_.ranks.world_size);
  }

  data::Batch next() override {
    if (returned_ == batches_per_epoch_) begin_next_epoch();
    std::optional<data::LoadedBatch> loaded = current_->next();
    if (!loaded) throw bug("an epoch ended before its last batch");
    ++returned_;
    if (batches_per_epoch_ - returned_ < options_.loader.batches_ahead && !upcoming_) {
      upcoming_ = open_epoch(dataset_, options_, epoch_ + 1, /*shuffle=*/true);
    }
    return data::to_tensors(loaded->batch, loaded->wait_s);
  }

  std::vector<data::SkippedSample> skipped() const override {
    auto all = skipped_before_;
    add_new(all, current_->skipped());
    return all;
  }

 private:
  void begin_next_epoch() {
    skipped_before_ = skipped();
    ++epoch_;
    current_ =
        upcoming_ ? std::move(upcoming_) : open_epoch(dataset_, options_, epoch_, /*shuffle=*/true);
    upcoming_.reset();
    returned_ = 0;
  }

  const data::Dataset& dataset_;
  SamplingOptions options_;
  std::int64_t batches_per_epoch_ = 0;
  std::int64_t epoch_ = 0;
  std::int64_t returned_ = 0;
  std::unique_ptr<data::Loader> current_, upcoming_;
  std::vector<data::SkippedSample> skipped_before_;
};

class JoinedBatches final : public BatchSource {
 public:
  JoinedBatches(std::vector<std::unique_ptr<BatchSource>> ranks, bool pinned)
      : ranks_(std::move(ranks)), pinned_(pinned) {}

  data::Batch next() override {
    std::vector<data::Batch> parts;
    for (const auto& rank : ranks_) parts.push_back(rank->next());
    return training::join(std::move(parts), pinned_);
  }

  void seek(std::int64_t batches) override {
    for (const auto& rank : ranks_) rank->seek(batches);
  }

  std::vector<data::SkippedSample> skipped() const override {
    std::vector<data::SkippedSample> all;
    for (const auto& rank : ranks_) add_new(all, rank->skipped());
    return all;
  }

 private:
  std::vector<std::unique_ptr<BatchSource>> ranks_;
  bool pinned_;
};

}  // namespace

void add_new(std::vector<data::SkippedSample>& all, const std::vector<data::SkippedSample>& more) {
  for (const data::SkippedSample& sample : more) {
    const auto same = [&](const data::SkippedSample& other) { return other.name == sample.name; };
    if (std::none_of(all.begin(), all.end(), same)) all.push_back(sample);
  }
}

std::unique_ptr<BatchSource> cached_batches(std::vector<data::HostBatch> batches) {
  std::vector<data::Batch> tensors;
  for (const data::HostBatch& batch : batches) tensors.push_back(data::to_tensors(batch));
  return std::make_unique<CachedBatches>(std::move(tensors));
}

std::unique_ptr<BatchSource> cached_batches(BatchSource& source, int count) {
  std::vector<data::Batch> batches;
  for (int k = 0; k < count; ++k) batches.push_back(source.next());
  return std::make_unique<CachedBatches>(std::move(batches));
}

std::unique_ptr<BatchSource> joined_batches(std::vector<std::unique_ptr<BatchSource>> ranks,
                                            bool pinned) {
  if (ranks.size() == 1) return std::move(ranks.front());
  return std::make_unique<JoinedBatches>(std::move(ranks), pinned);
}

std::unique_ptr<data::Loader> open_epoch(const data::Dataset& dataset,
                                         const SamplingOptions& options, std::int64_t epoch,
                                         bool shuffle, std::int64_t dealt) {
  // A bad sample shifts all later ones, so what was skipped then must be read again.
  const bool by_reading = options.loader.on_bad_sample == data::OnBadSample::kSkip;
  auto indices = data::sample_indices({.dataset_size = dataset.size(),
                                       .rank = options.ranks.first,
                                       .world_size = options.ranks.world_size,
                                       .seed = options.seed,
                                       .shuffle = shuffle,
                                       .drop_last = options.drop_last,
                                       .dealt = by_reading ? 0 : dealt},
                                      epoch);
  auto loader = std::make_unique<data::Loader>(dataset, std::move(indices), epoch, options.loader);
  const std::int64_t of_a_batch = options.loader.batch_size * options.ranks.world_size;
  for (std::int64_t i = 0; by_reading && i < dealt / of_a_batch; ++i) loader->next();
  return loader;
}

std::unique_ptr<BatchSource> endless_epochs(const data::Dataset& dataset, SamplingOptions options) {
  return std::make_unique<EndlessEpochs>(dataset, std::move(options));
}

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
  // Torch's CPU generator takes 32 bits of a seed.
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
    return {{"input_ids", {1, shape.vocab_size}},  // 0 is padding.
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
