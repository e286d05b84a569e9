#include "data/augment/augmented_dataset.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <set>
#include <vector>

#include "core/base/error.h"
#include "data/augment/mixing.h"
#include "data/load/loader.h"
#include "data/load/sampler.h"

namespace scalemark::data {
namespace {

constexpr int kSide = 24;
constexpr std::int64_t kSamples = 40;
constexpr std::size_t kBytes = kSide * kSide * 3;

// Pictures of no colour that erasing writes; sample i has label i. One may be bad.
class Made : public Dataset {
 public:
  explicit Made(std::int64_t bad = -1) : bad_(bad) {}
  std::int64_t size() const override { return kSamples; }
  std::vector<FieldSpec> fields() const override {
    return {{.name = "image", .dtype = DType::kUint8, .shape = {kSide, kSide, 3}},
            {.name = "label", .dtype = DType::kInt64, .shape = {}}};
  }
  void load(const SampleKey& key, SampleSlot slot) const override {
    ASSERT_EQ(slot.size(), 2u);
    if (key.index == bad_) throw bad_data("sample " + std::to_string(key.index) + " is broken");
    for (std::size_t i = 0; i < kBytes; ++i) {
      slot[0][i] = static_cast<std::byte>((i * 7 + static_cast<std::size_t>(key.index) * 31) % 100);
    }
    std::memcpy(slot[1].data(), &key.index, sizeof key.index);
  }
  std::string name_of(std::int64_t index) const override { return std::to_string(index); }
  std::string identity() const override { return "made"; }

 private:
  std::int64_t bad_;
};

constexpr Augmentation kEverything{
    .augment = Augment::kRandAugment, .random_erasing = 0.5, .mixing = {.mixup = 0.4, .cutmix = 1}};

struct LoadedEpoch {
  std::vector<std::vector<std::uint8_t>> images;
  std::vector<std::int64_t> labels, mixed_labels;
  std::vector<MixingRow> mixing;
  bool operator==(const LoadedEpoch&) const = default;
};

void append(const HostBatch& batch, LoadedEpoch& all) {
  const auto bytes = batch.field("image").as<std::uint8_t>();
  for (std::size_t i = 0; i < bytes.size(); i += kBytes) {
    all.images.emplace_back(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                            bytes.begin() + static_cast<std::ptrdiff_t>(i + kBytes));
  }
  const auto labels = batch.field("label").as<std::int64_t>();
  all.labels.insert(all.labels.end(), labels.begin(), labels.end());
  if (batch.fields.size() == 2) return;
  const auto mixed = batch.field("mixed_label").as<std::int64_t>();
  all.mixed_labels.insert(all.mixed_labels.end(), mixed.begin(), mixed.end());
  const auto rows = batch.field("mixing").as<float>();
  for (std::size_t i = 0; i < rows.size(); i += kMixingColumns) {
    all.mixing.emplace_back();
    std::copy_n(&rows[i], kMixingColumns, all.mixing.back().begin());
  }
}

struct Pass {
  int workers = 0;
  std::uint64_t seed = 3;
  std::int64_t epoch = 1;
  std::int64_t bad = -1;
  std::int64_t first = 0;  // samples left out at the begin
};

constexpr std::int64_t kBatch = 8;

LoadedEpoch load_all(const Augmentation& options, const Pass& pass = {}) {
  const auto dataset = augmented(std::make_unique<Made>(pass.bad), options);
  auto order = sample_indices({.dataset_size = kSamples, .seed = pass.seed}, pass.epoch);
  order.erase(order.begin(), order.begin() + pass.first);
  Loader loader(*dataset, order, pass.epoch,
                {.batch_size = kBatch,
                 .workers = pass.workers,
                 .on_bad_sample = OnBadSample::kSkip,
                 .seed = pass.seed});
  LoadedEpoch all;
  while (const auto loaded = loader.next()) append(loaded->batch, all);
  return all;
}

// Without OpenCV only what needs none is tested.
bool has_opencv() {
  try {
    augmented(std::make_unique<Made>(), {.augment = Augment::kTrivial});
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.record().exit_code, ExitCode::kSystem);
    return false;
  }
}

TEST(AugmentedDataset, WithoutOptionsIsTheDatasetItself) {
  auto made = std::make_unique<Made>();
  const Dataset* before = made.get();
  EXPECT_EQ(augmented(std::move(made), {}).get(), before);
}

TEST(AugmentedDataset, TheSameSeedsGiveTheSameBatchesWhateverTheWorkers) {
  if (!has_opencv()) GTEST_SKIP() << "libscalemark_opencv.so is not built";
  const LoadedEpoch first = load_all(kEverything);
  ASSERT_EQ(first.images.size(), static_cast<std::size_t>(kSamples));
  for (const int workers : {1, 2, 5}) EXPECT_EQ(load_all(kEverything, {.workers = workers}), first);
  EXPECT_NE(load_all(kEverything, {.epoch = 2}).mixing, first.mixing);
  EXPECT_NE(load_all(kEverything, {.seed = 4}).images, first.images);
}

// A run that continues from a checkpoint enters an epoch late: batches must not depend on those
// before them.
TEST(AugmentedDataset, AnEpochThatIsEnteredLaterContinuesTheSame) {
  const Augmentation mixed{.random_erasing = 0.5, .mixing = {.mixup = 0.4, .cutmix = 1}};
  const LoadedEpoch all = load_all(mixed), rest = load_all(mixed, {.first = 2 * kBatch});
  EXPECT_TRUE(std::equal(rest.images.begin(), rest.images.end(), all.images.begin() + 2 * kBatch));
  EXPECT_TRUE(std::equal(rest.mixing.begin(), rest.mixing.end(), all.mixing.begin() + 2 * kBatch));
}

TEST(AugmentedDataset, EachOperationTakesPart) {
  if (!has_opencv()) GTEST_SKIP() << "libscalemark_opencv.so is not built";
  const LoadedEpoch plain = load_all({.mixing = {.mixup = 1}});
  for (const auto augment : {Augment::kTrivial, Augment::kRandAugment, Augment::kColourJitter}) {
    const LoadedEpoch changed = load_all({.augment = augment});
    int same = 0;
    for (std::size_t i = 0; i < plain.images.size(); ++i)
      same += plain.images[i] == changed.images[i];
    EXPECT_LT(same, kSamples / 2) << name_of(augment);
    EXPECT_EQ(changed.labels, plain.labels);
  }
}

TEST(AugmentedDataset, ErasesOnlyAndChangesNoOtherChoice) {
  const bool opencv = has_opencv();
  const Augment augment = opencv ? Augment::kTrivial : Augment::kBasic;
  const LoadedEpoch before = load_all({.augment = augment, .mixing = {.mixup = 1}});
  const LoadedEpoch after =
      load_all({.augment = augment, .random_erasing = 0.5, .mixing = {.mixup = 1}});
  EXPECT_EQ(after.mixing, before.mixing);
  int erased = 0;
  for (std::size_t i = 0; i < before.images.size(); ++i) {
    erased += before.images[i] != after.images[i];
    for (std::size_t b = 0; b < kBytes; ++b) {
      if (before.images[i][b] == after.images[i][b]) continue;
      ASSERT_EQ(after.images[i][b], kErased[b % 3]);
    }
  }
  EXPECT_GT(erased, 10);
  EXPECT_LT(erased, 30);
}

TEST(AugmentedDataset, ABatchIsMixedAsOneAndWithTheRowBefore) {
  const LoadedEpoch all = load_all({.mixing = {.mixup = 0.4, .cutmix = 1}});
  std::set<MixingRow> different;
  for (std::int64_t i = 0; i < kSamples; ++i) {
    const std::int64_t first = i / kBatch * kBatch;
    const auto before = static_cast<std::size_t>(i == first ? first + kBatch - 1 : i - 1);
    EXPECT_EQ(all.mixed_labels[static_cast<std::size_t>(i)], all.labels[before]);
    EXPECT_EQ(all.mixing[static_cast<std::size_t>(i)], all.mixing[static_cast<std::size_t>(first)]);
    different.insert(all.mixing[static_cast<std::size_t>(first)]);
  }
  EXPECT_EQ(different.size(), static_cast<std::size_t>(kSamples / kBatch));
}

// The sample that takes a bad one's place is mixed like the rows around it.
TEST(AugmentedDataset, ABatchWithASkippedSampleIsWhole) {
  const LoadedEpoch good = load_all({.mixing = {.mixup = 0.4}});
  const std::int64_t bad = good.labels[3];
  for (const int workers : {0, 3}) {
    const LoadedEpoch all = load_all({.mixing = {.mixup = 0.4}}, {.workers = workers, .bad = bad});
    ASSERT_EQ(all.labels.size(), good.labels.size());
    EXPECT_EQ(all.mixing[0], good.mixing[0]);
    for (std::size_t i = 1; i < kBatch; ++i) {
      EXPECT_EQ(all.mixing[i], all.mixing[0]);
      EXPECT_EQ(all.mixed_labels[i], all.labels[i - 1]);
      EXPECT_NE(all.labels[i], bad);
    }
  }
}

TEST(MixBytes, BlendsOrTakesARectangle) {
  std::vector<std::uint8_t> own{10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120};
  std::vector<std::uint8_t> other{0, 0, 0, 255, 255, 255, 1, 2, 3, 4, 5, 6};
  auto blended = own;
  mix_bytes({blended.data(), 2, 2}, {other.data(), 2, 2}, {0.25F, 0.25F, 0, 0, 0, 0});
  EXPECT_EQ(blended, (std::vector<std::uint8_t>{3, 5, 8, 201, 204, 206, 18, 22, 25, 28, 31, 35}));
  auto cut = own;
  mix_bytes({cut.data(), 2, 2}, {other.data(), 2, 2}, {0.75F, 1, 0, 1, 1, 2});
  EXPECT_EQ(cut, (std::vector<std::uint8_t>{10, 20, 30, 255, 255, 255, 70, 80, 90, 100, 110, 120}));
}

}  // namespace
}  // namespace scalemark::data
