#include "engine/running/workload_data.h"

#include <filesystem>
#include <utility>

#include "core/base/error.h"
#include "core/planning/estimates.h"
#include "data/images/image_folder.h"
#include "data/synthetic.h"
#include "data/text/corpus.h"
#include "data/text/pretraining.h"

namespace scalemark::running {
namespace {

// A tenth more rows of the MLM head at most, for shapes that come back. A CPU has nothing of it.
constexpr std::int64_t kMaskedMultipleOnGpu = 64;

catalogue::ModelShape asked_shape(const settings::WhatSettings& what) {
  return {.image_size = what.image_size, .sequence_length = what.sequence_length};
}

WorkloadData open_images(const settings::Settings& settings, const catalogue::Workload& workload) {
  const auto tree = data::scan_image_tree(settings.what.data);
  const auto open = [&](data::ImageSplit split, data::ImageTransform transform) {
    return data::open_image_folder(tree,
                                   {.root = settings.what.data,
                                    .split = split,
                                    .transform = transform,
                                    .image_size = static_cast<int>(settings.what.image_size)});
  };
  WorkloadData opened;
  opened.train = open(data::ImageSplit::kTrain, data::ImageTransform::kTrain);
  // Only epochs evaluate: a measured run takes a tree of one image per class too.
  if (settings.measuring.epochs) {
    opened.held_out = open(data::ImageSplit::kEvaluate, data::ImageTransform::kEvaluate);
  }
  auto shape = asked_shape(settings.what);
  shape.classes = static_cast<std::int64_t>(tree.classes.size());
  opened.shape = catalogue::resolved_shape(workload, shape);
  opened.identity = opened.train->identity();
  if (opened.held_out) opened.identity += "+" + opened.held_out->identity();
  return opened;
}

// --vocab, or the vocab.txt that lies in the corpus's own folder (`data generate text` puts it
// there).
std::filesystem::path vocabulary_of(const settings::WhatSettings& what) {
  if (!what.vocab.empty()) return what.vocab;
  const auto beside = std::filesystem::path(what.data) / "vocab.txt";
  return std::filesystem::exists(beside) ? beside : std::filesystem::path();
}

WorkloadData open_text(const settings::Settings& settings, const catalogue::Workload& workload) {
  const std::shared_ptr<const data::TokenCorpus> corpus =
      data::open_corpus(settings.what.data, vocabulary_of(settings.what), settings.what.cased,
                        settings.parallel.threads);
  auto samples = data::open_pretraining(
      corpus, nullptr,
      {.sequence_length = settings.what.sequence_length,
       .masked_multiple = settings.parallel.device == "cuda" ? kMaskedMultipleOnGpu : 1});
  auto shape = asked_shape(settings.what);
  shape.vocab_size = corpus->vocabulary_size();
  return {.shape = catalogue::resolved_shape(workload, shape),
          .identity = corpus->identity(),
          .train = std::move(samples.train),
          .held_out = std::move(samples.evaluate)};
}

}  // namespace

const catalogue::Workload& workload_named(const std::string& name) {
  if (const auto* workload = catalogue::find_workload(name)) return *workload;
  throw configuration("unknown workload '" + name + "'");
}

WorkloadData open_data(const settings::Settings& settings, const catalogue::Workload& workload) {
  if (settings.what.data == "synthetic") {
    return {.shape = catalogue::resolved_shape(workload, asked_shape(settings.what)),
            .identity = "synthetic"};
  }
  switch (workload.data_kind) {
    case catalogue::DataKind::kImages:
      return open_images(settings, workload);
    case catalogue::DataKind::kText:
      return open_text(settings, workload);
    case catalogue::DataKind::kVectors:
      break;
  }
  throw configuration("--data " + settings.what.data,
                      workload.name + " trains on synthetic vectors only", "use --data synthetic");
}

std::vector<data::HostBatch> synthetic_batches(const settings::Settings& settings,
                                               const catalogue::Workload& workload,
                                               const catalogue::ModelShape& shape, int rank,
                                               const data::HostAllocator& allocate) {
  const std::int64_t n = settings.size.batch_size;
  const auto make = [&](std::uint64_t seed) -> data::HostBatch {
    switch (workload.data_kind) {
      case catalogue::DataKind::kImages:
        return data::synthetic_images(
            {.batch_size = n, .image_size = shape.image_size, .classes = shape.classes}, seed,
            allocate);
      case catalogue::DataKind::kText:
        return data::synthetic_tokens({.batch_size = n,
                                       .sequence_length = shape.sequence_length,
                                       .vocabulary = shape.vocab_size},
                                      seed, allocate);
      case catalogue::DataKind::kVectors:
        return data::synthetic_vectors(
            {.batch_size = n, .features = workload.input_features, .classes = shape.classes}, seed,
            allocate);
    }
    throw bug("a workload takes no kind of data");
  };
  std::vector<data::HostBatch> batches;
  for (int k = 0; k < planning::kSyntheticBatches; ++k) {
    const auto number = static_cast<std::uint64_t>(rank) * planning::kSyntheticBatches +
                        static_cast<std::uint64_t>(k);
    batches.push_back(make(settings.recipe.seed + number));
  }
  return batches;
}

}  // namespace scalemark::running
