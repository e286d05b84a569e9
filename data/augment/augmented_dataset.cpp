#include "data/augment/augmented_dataset.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/base/error.h"
#include "data/augment/mixing.h"

namespace scalemark::data {
namespace {

// Each kind of choice has random numbers of its own, besides those of crop and flip.
enum Purpose : std::uint64_t {
  kForOperations = 0x6f7065726174696f,
  kForErasing = 0x6572617365000001,
  kForMixing = 0x6d69780000000001
};

SampleRandom random_of(SampleKey key, Purpose purpose) {
  key.seed ^= purpose;
  return SampleRandom(key);
}

class AugmentedDataset : public Dataset {
 public:
  AugmentedDataset(std::unique_ptr<Dataset> images, const Augmentation& options)
      : images_(std::move(images)),
        options_(options),
        opencv_(options.augment == Augment::kBasic ? nullptr : &load_opencv()),
        own_fields_(images_->fields().size()) {
    const auto shape = images_->fields().front().shape;
    size_ = {.width = static_cast<int>(shape[1]), .height = static_cast<int>(shape[0])};
  }

  std::int64_t size() const override { return images_->size(); }

  std::vector<FieldSpec> fields() const override {
    auto fields = images_->fields();
    if (!options_.mixing.mixes()) return fields;
    fields.push_back({.name = "mixed_label", .dtype = DType::kInt64, .shape = {}});
    fields.push_back({.name = "mixing", .dtype = DType::kFloat32, .shape = {kMixingColumns}});
    return fields;
  }

  void load(const SampleKey& key, SampleSlot slot) const override {
    images_->load(key, slot.first(own_fields_));
    change({reinterpret_cast<std::uint8_t*>(slot[0].data()), size_.width, size_.height}, key);
    if (!options_.mixing.mixes()) return;
    auto random = random_of(key, kForMixing);
    const MixingRow row = draw_mixing(options_.mixing, size_, random);
    // Until collate() the sample's own label is in the place of the mixed one.
    std::ranges::copy(slot[own_fields_ - 1], slot[own_fields_].begin());
    std::memcpy(slot[own_fields_ + 1].data(), row.data(), sizeof row);
  }

  HostBatch collate(HostBatch batch) const override {
    if (!options_.mixing.mixes() || batch.samples == 0) return batch;
    const auto labels = batch.field("label").as<std::int64_t>();
    const auto mixed = batch.field("mixed_label").as<std::int64_t>();
    std::ranges::rotate_copy(labels, labels.end() - 1, mixed.begin());
    const auto rows = batch.field("mixing").as<float>();
    for (auto row = rows.begin() + kMixingColumns; row < rows.end(); row += kMixingColumns) {
      std::copy_n(rows.begin(), static_cast<std::ptrdiff_t>(kMixingColumns), row);
    }
    return batch;
  }

  void expect(std::int64_t index) const noexcept override { images_->expect(index); }
  std::string name_of(std::int64_t index) const override { return images_->name_of(index); }
  std::string identity() const override { return images_->identity(); }

 private:
  void change(const RgbView& image, const SampleKey& key) const {
    if (opencv_) {
      auto random = random_of(key, kForOperations);
      for (const Change& one : draw_changes(options_.augment, size_, random)) {
        apply(one, image, *opencv_);
      }
    }
    if (options_.random_erasing > 0) {
      auto random = random_of(key, kForErasing);
      const auto box = draw_erased(options_.random_erasing, size_, random);
      if (box) erase(image, *box);
    }
  }

  std::unique_ptr<Dataset> images_;
  Augmentation options_;
  const OpencvApi* opencv_;  // null where no operation needs it
  std::size_t own_fields_;
  ImageSize size_;
};

}  // namespace

bool changes_images(const Augmentation& options) {
  return options.augment != Augment::kBasic || options.random_erasing > 0 || options.mixing.mixes();
}

std::unique_ptr<Dataset> augmented(std::unique_ptr<Dataset> images, const Augmentation& options) {
  if (!changes_images(options)) return images;
  return std::make_unique<AugmentedDataset>(std::move(images), options);
}

namespace {

// The library may have been loaded by the engine, by `scalemark data` or by a test.
std::filesystem::path folder_of_this_library() {
  Dl_info info = {};
  if (dladdr(reinterpret_cast<const void*>(&load_opencv), &info) == 0 ||
      info.dli_fname == nullptr) {
    throw bug("dladdr does not know libscalemark_data.so");
  }
  return std::filesystem::absolute(info.dli_fname).parent_path();
}

}  // namespace

const OpencvApi& load_opencv() {
  return open_plugin_as<OpencvApi>(
      {.path = folder_of_this_library() / "libscalemark_opencv.so",
       .symbol = "scalemark_opencv_api",
       .abi = kOpencvAbi,
       .advice = "`apt-get install libopencv-core406 libopencv-imgproc406` (before building: "
                 "libopencv-core-dev libopencv-imgproc-dev), or use --augment basic"});
}

}  // namespace scalemark::data
