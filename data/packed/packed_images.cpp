#include "data/packed/packed_images.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "data/images/codecs.h"
#include "data/images/decode.h"
#include "data/images/image_view.h"
#include "data/packed/record.h"

namespace scalemark::data::packed {
namespace {

// Brings one sample of packed data from its shard to a decoder. Knows nothing of crops.
class StoredSample {
 public:
  // `data` and `sample` must outlive the object.
  StoredSample(const PackedData& data, const SampleEntry& sample)
      : data_(&data), sample_(&sample) {}

  // Reads into memory of its own; returns false and does nothing where the shard is mapped. Throws
  // what ShardFile::read() throws.
  bool read();

  // Throws bad_sample() (65) when the bytes do not match their checksum; returns false and compares
  // nothing where the shard is mapped.
  bool check() const;

  // Opens a decoder over the read bytes or the map; `memory` and errors are those of open_record().
  std::unique_ptr<ImageDecoder> open(DecoderMemory& memory) const;

 private:
  bool mapped() const { return data_->shard_of(*sample_).mapped(); }
  std::string name() const { return data_->index().name_of(*sample_); }
  std::span<const std::uint8_t> bytes() const { return {memory_.get(), sample_->bytes}; }

  const PackedData* data_;
  const SampleEntry* sample_;
  std::unique_ptr<std::uint8_t[]> memory_;
};

bool StoredSample::read() {
  if (mapped()) return false;
  memory_ = std::make_unique_for_overwrite<std::uint8_t[]>(sample_->bytes);
  const std::span target(memory_.get(), sample_->bytes);
  data_->shard_of(*sample_).read(sample_->offset, std::as_writable_bytes(target));
  return true;
}

bool StoredSample::check() const {
  if (mapped()) return false;
  if (digest_of(std::as_bytes(bytes())) == sample_->checksum) return true;
  throw bad_sample(name(), "its bytes do not match their checksum",
                   "`scalemark data verify` lists all of them: copy the shards anew, or leave them "
                   "out with --on-bad-sample skip");
}

std::unique_ptr<ImageDecoder> StoredSample::open(DecoderMemory& memory) const {
  const ImageSize size{static_cast<int>(sample_->width), static_cast<int>(sample_->height)};
  if (mapped()) {
    const auto pixels = data_->shard_of(*sample_).mapped_bytes(*sample_);
    return open_raw(reinterpret_cast<const std::uint8_t*>(pixels.data()), size);
  }
  return open_record(static_cast<Encoding>(sample_->encoding), bytes(), size, name(), &memory);
}

}  // namespace
}  // namespace scalemark::data::packed

namespace scalemark::data {

PackedData::PackedData(const std::string& root, const Progress& progress) : index_(root, progress) {
  const bool mapped = index_.header().form == packed::Form::kRaw256;
  for (const packed::ShardEntry& shard : index_.shards()) {
    shards_.push_back(std::make_unique<packed::ShardFile>(index_, shard, mapped));
    still_alive(progress);
  }
}

std::shared_ptr<const PackedData> open_packed_data(const std::string& root,
                                                   const Progress& progress) {
  return std::make_shared<PackedData>(root, progress);
}

using namespace packed;

namespace {

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

  std::vector<FieldSpec> fields() const override { return image_fields(size_); }

  void load(const SampleKey& key, SampleSlot slot) const override {
    const SampleEntry& sample = entry(key.index);
    StoredSample stored(*data_, sample);
    stored.read();
    stored.check();
    const WorkspacePool::Lease workspace(workspaces_);
    const auto image = stored.open(workspace->decoder);
    write_view(*image, view_of(image->size(), key, transform_, size_), decoding_, *workspace,
               reinterpret_cast<std::uint8_t*>(slot[0].data()));
    const std::int64_t label = sample.label;
    std::memcpy(slot[1].data(), &label, sizeof label);
  }

  void expect(std::int64_t index) const noexcept override {
    const SampleEntry& sample = samples_[static_cast<std::size_t>(index)];
    data_->shard_of(sample).expect(sample);
  }

  std::string name_of(std::int64_t index) const override {
    return data_->index().name_of(entry(index));
  }

  std::string identity() const override { return data_->index().identity(); }

 private:
  const SampleEntry& entry(std::int64_t index) const {
    if (index < 0 || index >= size()) throw bug("a sample outside the packed data");
    return samples_[static_cast<std::size_t>(index)];
  }

  std::shared_ptr<const PackedData> data_;
  std::span<const SampleEntry> samples_;
  ImageTransform transform_;
  ImageDecoding decoding_;
  int size_;
  mutable WorkspacePool workspaces_;  // several threads call load()
};

}  // namespace

std::unique_ptr<Dataset> open_packed_images(std::shared_ptr<const PackedData> data,
                                            const ImageFolderOptions& options) {
  refuse_odd_image_size(options.image_size);
  const bool train = options.split == ImageSplit::kTrain;
  const auto samples = data->index().split(train ? kTrain : kEvaluate);
  if (samples.empty()) refuse_empty_split(data->index().root(), options.split);
  return std::make_unique<PackedImages>(std::move(data), samples, options);
}

std::unique_ptr<Dataset> open_images(const ImageFolderOptions& options) {
  if (!is_packed(options.root)) return open_image_folder(options);
  return open_packed_images(open_packed_data(options.root), options);
}

namespace {

// The training images of packed data, for measuring the steps of loading.
class PackedSource : public ImageSource {
 public:
  explicit PackedSource(std::shared_ptr<const PackedData> data)
      : data_(std::move(data)), samples_(data_->index().split(packed::kTrain)) {}

  std::int64_t size() const override { return std::ssize(samples_); }

  // Reads into newly allocated memory, like loading.
  bool read(std::int64_t index) override {
    sample_.emplace(*data_, samples_[static_cast<std::size_t>(index)]);
    return sample_->read();
  }

  bool check() const override { return sample_->check(); }
  std::unique_ptr<ImageDecoder> open(DecoderMemory& memory) const override {
    return sample_->open(memory);
  }

 private:
  std::shared_ptr<const PackedData> data_;
  std::span<const packed::SampleEntry> samples_;
  std::optional<packed::StoredSample> sample_;
};

}  // namespace

std::unique_ptr<ImageSource> source_of(std::shared_ptr<const PackedData> data) {
  return std::make_unique<PackedSource>(std::move(data));
}

}  // namespace scalemark::data
