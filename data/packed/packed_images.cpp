#include "data/packed/packed_images.h"

#include <cstring>
#include <utility>

#include "core/base/error.h"
#include "data/images/codecs.h"
#include "data/images/image_view.h"
#include "data/images/workspace_pool.h"
#include "data/packed/record.h"
#include "data/packed/shard_file.h"

namespace scalemark::data {

using namespace packed;

class PackedData {
 public:
  PackedData(const std::string& root, const Progress& progress) : index_(root, progress) {
    const bool mapped = index_.header().form == Form::kRaw256;
    for (const ShardEntry& shard : index_.shards()) {
      shards_.push_back(std::make_unique<ShardFile>(index_, shard, mapped));
      still_alive(progress);
    }
  }

  const Index& index() const { return index_; }
  const ShardFile& shard_of(const SampleEntry& sample) const { return *shards_[sample.shard]; }

 private:
  Index index_;
  std::vector<std::unique_ptr<ShardFile>> shards_;
};

namespace {

struct FreeBytes {
  std::unique_ptr<std::uint8_t[]> memory;
  std::span<std::uint8_t> bytes;
};

FreeBytes uninitialised(std::size_t bytes) {
  FreeBytes result{.memory = std::make_unique_for_overwrite<std::uint8_t[]>(bytes)};
  result.bytes = {result.memory.get(), bytes};
  return result;
}

class PackedImages : public Dataset {
 public:
  PackedImages(std::shared_ptr<const PackedData> data, std::span<const SampleEntry> samples,
               const ImageFolderOptions& options)
      : data_(std::move(data)),
        samples_(samples),
        transform_(options.transform),
        decoding_(options.decoding),
        size_(options.image_size) {}

  std::int64_t size() const override { return std::ssize(samples_); }

  std::vector<FieldSpec> fields() const override {
    return {{.name = "image", .dtype = DType::kUint8, .shape = {size_, size_, 3}},
            {.name = "label", .dtype = DType::kInt64, .shape = {}}};
  }

  void load(const SampleKey& key, SampleSlot slot) const override {
    const SampleEntry& sample = entry(key.index);
    auto* const target = reinterpret_cast<std::uint8_t*>(slot[0].data());
    if (data_->shard_of(sample).mapped()) {
      write(*open_mapped(sample), key, target);
    } else {
      const FreeBytes record = read_checked(key.index, sample);
      const auto image = open_record(static_cast<Encoding>(sample.encoding), record.bytes,
                                     size_of_image(sample), name_of(key.index));
      write(*image, key, target);
    }
    const std::int64_t label = sample.label;
    std::memcpy(slot[1].data(), &label, sizeof label);
  }

  std::string name_of(std::int64_t index) const override {
    return data_->index().name_of(entry(index));
  }

  std::string identity() const override { return data_->index().identity(); }

 private:
  void write(ImageDecoder& image, const SampleKey& key, std::uint8_t* target) const {
    const WorkspacePool::Lease workspace(workspaces_);
    write_view(image, view_of(image.size(), key, transform_, size_), decoding_, *workspace, target);
  }

  const SampleEntry& entry(std::int64_t index) const {
    if (index < 0 || index >= size()) throw bug("a sample outside the packed data");
    return samples_[static_cast<std::size_t>(index)];
  }

  static ImageSize size_of_image(const SampleEntry& sample) {
    return {static_cast<int>(sample.width), static_cast<int>(sample.height)};
  }

  std::unique_ptr<ImageDecoder> open_mapped(const SampleEntry& sample) const {
    const auto pixels = data_->shard_of(sample).mapped_bytes(sample);
    return open_raw(reinterpret_cast<const std::uint8_t*>(pixels.data()), size_of_image(sample));
  }

  FreeBytes read_checked(std::int64_t index, const SampleEntry& sample) const {
    FreeBytes record = uninitialised(sample.bytes);
    data_->shard_of(sample).read(sample.offset, std::as_writable_bytes(record.bytes));
    if (digest_of(std::as_bytes(record.bytes)) != sample.checksum) {
      throw bad_sample(name_of(index), "its bytes do not match their checksum");
    }
    return record;
  }

  std::shared_ptr<const PackedData> data_;
  std::span<const SampleEntry> samples_;
  ImageTransform transform_;
  ImageDecoding decoding_;
  int size_;
  mutable WorkspacePool workspaces_;  // load() is called from several threads
};

}  // namespace

std::shared_ptr<const PackedData> open_packed_data(const std::string& root,
                                                   const Progress& progress) {
  return std::make_shared<PackedData>(root, progress);
}

const Index& index_of(const PackedData& data) { return data.index(); }

std::unique_ptr<Dataset> open_packed_images(std::shared_ptr<const PackedData> data,
                                            const ImageFolderOptions& options) {
  refuse_odd_image_size(options.image_size);
  const bool train = options.split == ImageSplit::kTrain;
  const auto samples = data->index().split(train ? kTrain : kEvaluate);
  if (samples.empty()) {
    throw bad_data(
        data->index().root() + " has no image for " + (train ? "training" : "evaluation"),
        "packed data of a tree that has some");
  }
  return std::make_unique<PackedImages>(std::move(data), samples, options);
}

std::unique_ptr<Dataset> open_images(const ImageFolderOptions& options) {
  if (!is_packed(options.root)) return open_image_folder(options);
  return open_packed_images(open_packed_data(options.root), options);
}

}  // namespace scalemark::data
