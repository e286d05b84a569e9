// The training images of packed data as a source whose steps are timed.
#include <optional>
#include <utility>

#include "data/packed/packed_images.h"
#include "data/packed/stored_sample.h"

namespace scalemark::data {
namespace {

class PackedSource : public ImageSource {
 public:
  explicit PackedSource(std::shared_ptr<const PackedData> data)
      : data_(std::move(data)), samples_(data_->index().split(packed::kTrain)) {}

  std::int64_t size() const override { return std::ssize(samples_); }

  // Into memory that is allocated anew, as loading does.
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
