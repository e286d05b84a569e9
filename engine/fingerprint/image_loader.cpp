#include "engine/fingerprint/image_loader.h"

#include <cstdint>
#include <memory>
#include <optional>

#include "core/base/error.h"
#include "data/images/generate.h"
#include "data/images/image_folder.h"
#include "data/loader.h"
#include "data/sampler.h"
#include "engine/device/cpu_device.h"
#include "engine/fingerprint/blocks.h"

namespace scalemark::fingerprint {
namespace {

constexpr std::int64_t kImages = 128, kBatch = 8;

// Batches without end.
class Batches {
 public:
  explicit Batches(const data::Dataset& dataset) : dataset_(dataset) { begin_epoch(); }

  void next() {
    if (loader_->next()) return;
    ++epoch_;
    begin_epoch();
    if (!loader_->next()) throw bug("an epoch without a batch");
  }

 private:
  void begin_epoch() {
    loader_.emplace(dataset_, data::sample_indices({.dataset_size = dataset_.size()}, epoch_),
                    epoch_, data::LoaderOptions{.batch_size = kBatch});
  }

  const data::Dataset& dataset_;
  std::int64_t epoch_ = 0;
  std::optional<data::Loader> loader_;
};

std::unique_ptr<data::Dataset> make_images(const std::filesystem::path& folder, int threads) {
  data::GenerateImagesOptions options{.dir = folder / "images"};
  options.samples = kImages;
  options.val_samples = options.classes;
  options.threads = threads;
  data::generate_images(options);
  return data::open_image_folder({.root = options.dir,
                                  .split = data::ImageSplit::kTrain,
                                  .transform = data::ImageTransform::kTrain});
}

}  // namespace

reporting::FingerprintRecord image_loader(const std::filesystem::path& folder, int threads,
                                          double seconds) {
  reporting::FingerprintRecord record;
  record.device = "cpu";
  record.what = reporting::MachineRate::kImageLoader;
  record.unit = "images/s";
  record.method = "500 x 375 JPEG to 224 x 224";
  const auto dataset = make_images(folder, threads);
  Batches batches(*dataset);
  set_rate(record, time_calls(*device::make_cpu_device(), seconds, [&] { batches.next(); }),
           kBatch);
  return record;
}

}  // namespace scalemark::fingerprint
