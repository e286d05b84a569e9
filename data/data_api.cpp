#include "data/data_api.h"

#include <time.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <utility>

#include "core/base/durations.h"
#include "core/base/error.h"
#include "core/base/plugin.h"
#include "data/augment/augmented_dataset.h"
#include "data/load/sampler.h"
#include "data/packed/packed_images.h"
#include "data/text/pretraining.h"

namespace scalemark::data {
namespace {

struct EpochCount {
  std::int64_t samples = 0;
  std::vector<SkippedSample> skipped;
};

double process_cpu_seconds() {
  timespec now = {};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

EpochCount run_epoch(const Dataset& dataset, std::int64_t epoch, const LoaderOptions& options) {
  const SamplerOptions sampler{.dataset_size = dataset.size(), .seed = options.seed};
  Loader loader(dataset, sample_indices(sampler, epoch), epoch, options);
  EpochCount count;
  while (const auto loaded = loader.next()) count.samples += loaded->batch.samples;
  count.skipped = loader.skipped();
  return count;
}

}  // namespace

LoaderBenchResult bench_loader(const Dataset& dataset, const LoaderBenchOptions& options) {
  const EpochCount first = run_epoch(dataset, 0, options.loader);
  if (first.samples == 0) {
    throw configuration("the data set's " + std::to_string(dataset.size()) +
                            " samples do not fill one batch of " +
                            std::to_string(options.loader.batch_size),
                        "a smaller batch_size");
  }
  LoaderBenchResult result{.skipped = first.skipped};
  const auto start = std::chrono::steady_clock::now();
  const double cpu_start = process_cpu_seconds();
  do {
    result.samples += run_epoch(dataset, ++result.epochs, options.loader).samples;
    result.wall_s = seconds_since(start);
  } while (result.wall_s < options.min_seconds);
  result.cpu_s = process_cpu_seconds() - cpu_start;
  std::size_t bytes = 0;
  for (const FieldSpec& field : dataset.fields()) bytes += field.bytes_per_sample();
  result.samples_per_sec = static_cast<double>(result.samples) / result.wall_s;
  result.bytes_per_sec = result.samples_per_sec * static_cast<double>(bytes);
  return result;
}

namespace {

namespace fs = std::filesystem;

BenchedData bench_sequences(const BenchSource& source, const LoaderBenchOptions& options) {
  const std::shared_ptr<const TokenCorpus> corpus =
      open_corpus(source.path, source.vocab, source.cased);
  const DocumentRange all{.first = 0, .last = corpus->documents()};
  const auto dataset = open_pretraining(corpus, all, {.sequence_length = source.sequence_length},
                                        PretrainingSplit::kTrain);
  return {.kind = "sequences",
          .data_size = dataset->size(),
          .result = bench_loader(*dataset, options),
          .stages = {},
          .notes = left_out_notes(source.path, corpus->left_out())};
}

constexpr std::int64_t kMostStaged = 200;  // images; they take a second or two

struct OpenedImages {
  std::unique_ptr<Dataset> dataset;
  std::unique_ptr<ImageSource> source;
};

BenchedData bench_opened(OpenedImages images, const ImageFolderOptions& shown,
                         const Augmentation& augmentation, const LoaderBenchOptions& options) {
  const auto dataset = augmented(std::move(images.dataset), augmentation);
  return {.kind = "images",
          .data_size = dataset->size(),
          .result = bench_loader(*dataset, options),
          .stages = time_stages(*images.source, shown, options.loader.seed, kMostStaged),
          .notes = {}};
}

BenchedData bench_images(const BenchSource& source, const LoaderBenchOptions& options) {
  const ImageFolderOptions shown{.root = source.path,
                                 .split = ImageSplit::kTrain,
                                 .transform = ImageTransform::kTrain,
                                 .image_size = source.image_size,
                                 .decoding = source.image_decoding};
  if (packed::is_packed(source.path)) {
    const auto data = open_packed_data(source.path);
    return bench_opened({.dataset = open_packed_images(data, shown), .source = source_of(data)},
                        shown, source.augmentation, options);
  }
  const ImageTree tree = scan_image_tree(source.path);
  BenchedData benched =
      bench_opened({.dataset = open_image_folder(tree, shown), .source = source_of(tree)}, shown,
                   source.augmentation, options);
  benched.notes = tree.notes;
  return benched;
}

// Refuses a folder that holds packed data, since training would use these instead of the images.
GeneratedImages generate_images_beside_nothing(const GenerateImagesOptions& options) {
  if (packed::is_packed(options.dir)) {
    throw cannot_create(options.dir + " holds packed data", "a new or empty folder",
                        "choose another folder");
  }
  return generate_images(options);
}

BenchedData bench(const BenchSource& source, const LoaderBenchOptions& options) {
  if (!fs::exists(source.path)) throw no_input("--data '" + source.path + "' is not there");
  if (fs::is_directory(source.path) && fs::is_empty(source.path)) {
    throw no_input("--data '" + source.path + "' is an empty folder",
                   "a folder with train/ for images, or text: a file or a folder of files",
                   "`scalemark data generate` makes some");
  }
  if (packed::is_packed(source.path) || fs::is_directory(fs::path(source.path) / "train")) {
    return bench_images(source, options);
  }
  if (changes_images(source.augmentation)) {
    throw configuration("--data '" + source.path + "' holds no train/, and so no images",
                        "augmentations are of images");
  }
  return bench_sequences(source, options);
}

}  // namespace

}  // namespace scalemark::data

const scalemark::data::DataApi* scalemark_data_api() {
  namespace data = scalemark::data;
  static const std::string commit = scalemark::program_version().git_commit;
  static const data::DataApi api{.stamp = {.abi = data::kDataAbi, .git_commit = commit.c_str()},
                                 .generate_images = data::generate_images_beside_nothing,
                                 .generate_text = data::generate_text,
                                 .tokenize_corpus = data::tokenize_corpus,
                                 .pack_images = data::pack_images,
                                 .verify_images = data::verify_images,
                                 .bench = data::bench,
                                 .show = data::show_images};
  return &api;
}
