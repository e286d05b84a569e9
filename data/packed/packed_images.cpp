#include "data/packed/packed_images.h"

#include <cstring>
#include <utility>

#include "core/base/error.h"
#include "data/images/image_view.h"
#include "data/images/workspace_pool.h"
#include "data/packed/stored_sample.h"

namespace scalemark::data {

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
  mutable WorkspacePool workspaces_;  // load() is called from several threads
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

}  // namespace scalemark::data
