#include "engine/train/workload_data.h"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/wire.h"
#include "core/plan/estimates.h"
#include "data/augment/augmented_dataset.h"
#include "data/load/synthetic.h"
#include "data/packed/packed_images.h"
#include "data/text/corpus.h"
#include "data/text/pretraining.h"
#include "engine/train/batch_source.h"
#include "workloads/weights/weights.h"

namespace scalemark::running {
namespace {

// Adds at most a tenth more rows to the MLM head, so that shapes recur. A CPU does not profit from
// it.
constexpr std::int64_t kMaskedMultipleOnGpu = 64;

catalogue::ModelShape asked_shape(const settings::TaskSettings& what) {
  return {.image_size = what.image_size, .sequence_length = what.sequence_length};
}

data::Progress progress_of(process::DataAccess& access) {
  return [&access] { access.still_reading(); };
}

struct ScannedTree {
  data::ImageTree tree;
  std::string identity;
  std::string mark;  // data::mark_of(), for a rank that takes over the list; empty: none does
};

template <class A>
constexpr void fields(A& a, typename A::template Field<ScannedTree>& s) {
  a.values(s.tree, s.identity, s.mark);
}

// A rank checks this many files when it takes over another rank's list.
constexpr std::size_t kFilesChecked = 64;

ScannedTree scan(const settings::Settings& settings, process::DataAccess& access) {
  const auto progress = progress_of(access);
  ScannedTree scanned{.tree = data::scan_image_tree(settings.task.data, progress)};
  const auto& tree = scanned.tree;
  scanned.identity = data::identity_of(tree.root, tree.train, progress);
  // Only --epochs evaluates and so needs held-out images; other runs also accept one image per
  // class.
  if (settings.measuring.epochs) {
    scanned.identity.append("+").append(data::identity_of(tree.root, tree.evaluate, progress));
  }
  return scanned;
}

// One rank of the run lists the tree and asks each file's size. The first of each other machine
// takes its list, and the others there take that one's; where that is of another tree they list
// their own.
ScannedTree scan_once(const settings::Settings& settings, process::DataAccess& access) {
  const std::string what =
      "images " + settings.task.data + (settings.measuring.epochs ? " with held-out" : "");
  const auto mark_of = [&](const data::ImageTree& tree) {
    return data::mark_of(tree, kFilesChecked, progress_of(access));
  };
  std::optional<ScannedTree> mine;
  const auto list_it = [&](bool for_others) {
    mine = scan(settings, access);
    if (!for_others) return process::SharedBytes{};
    mine->mark = mark_of(mine->tree);
    return process::held(to_wire(*mine));
  };
  const auto take = [&](const process::SharedBytes& list) {
    auto theirs = from_wire<ScannedTree>(list.text());
    if (mark_of(theirs.tree) == theirs.mark) mine = std::move(theirs);
    return mine.has_value();
  };
  const process::SharedBytes list = access.once_per_node(what, [&](bool here) {
    std::error_code ignored;
    // A machine without the tree says so at once instead of waiting for a list.
    if (!std::filesystem::is_directory(std::filesystem::path(settings.task.data) / "train",
                                       ignored))
      return list_it(here);
    const process::SharedBytes of_run =
        access.once_per_run(what, [&](bool elsewhere) { return list_it(here || elsewhere); });
    return mine || take(of_run) ? of_run : list_it(here);
  });
  if (!mine && !take(list)) list_it(false);
  return *std::move(mine);
}

data::ImageDecoding decoding_of(const settings::LoadingSettings& loading) {
  return loading.image_decoding == settings::ImageDecoding::kFast ? data::ImageDecoding::kFast
                                                                  : data::ImageDecoding::kExact;
}

data::Augmentation augmentation_of(const settings::LoadingSettings& loading) {
  return {.augment = find_word<data::Augment>(name_of(loading.augment)).value(),
          .random_erasing = loading.random_erasing,
          .mixing = {.mixup = loading.mixup, .cutmix = loading.cutmix}};
}

// Opens both splits of images by `open`. Only epochs evaluate.
template <class Open>
WorkloadData open_splits(const settings::Settings& settings, const catalogue::Workload& workload,
                         std::size_t classes, std::string identity, const Open& open) {
  const auto options = [&](data::ImageSplit split, data::ImageTransform transform) {
    return data::ImageFolderOptions{.root = settings.task.data,
                                    .split = split,
                                    .transform = transform,
                                    .image_size = static_cast<int>(settings.task.image_size),
                                    .decoding = decoding_of(settings.loading)};
  };
  WorkloadData opened;
  opened.train =
      data::augmented(open(options(data::ImageSplit::kTrain, data::ImageTransform::kTrain)),
                      augmentation_of(settings.loading));
  if (settings.measuring.epochs) {
    opened.held_out = open(options(data::ImageSplit::kEvaluate, data::ImageTransform::kEvaluate));
  }
  auto shape = asked_shape(settings.task);
  shape.classes = static_cast<std::int64_t>(classes);
  opened.shape = catalogue::resolved_shape(workload, shape);
  opened.identity = std::move(identity);
  return opened;
}

// Every rank maps the index itself, since a machine's ranks share its pages.
WorkloadData open_packed(const settings::Settings& settings, const catalogue::Workload& workload,
                         process::DataAccess& access) {
  const auto data = data::open_packed_data(settings.task.data, progress_of(access));
  const data::packed::Index& index = data->index();
  return open_splits(settings, workload, index.header().classes, index.identity(),
                     [&](const auto& options) { return data::open_packed_images(data, options); });
}

WorkloadData open_images(const settings::Settings& settings, const catalogue::Workload& workload,
                         process::DataAccess& access) {
  if (data::packed::is_packed(settings.task.data)) return open_packed(settings, workload, access);
  ScannedTree scanned = scan_once(settings, access);
  WorkloadData opened = open_splits(
      settings, workload, scanned.tree.classes.size(), std::move(scanned.identity),
      [&](const auto& options) { return data::open_image_folder(scanned.tree, options); });
  opened.notes = std::move(scanned.tree.notes);
  opened.left_out = std::move(scanned.tree.left_out);
  return opened;
}

// Returns --vocab, or the vocab.txt in the corpus's own folder (`data generate text` puts it
// there).
std::filesystem::path vocabulary_of(const settings::TaskSettings& what) {
  if (!what.vocab.empty()) return what.vocab;
  const auto beside = std::filesystem::path(what.data) / "vocab.txt";
  return std::filesystem::is_regular_file(beside) ? beside : std::filesystem::path();
}

// Text is tokenized by the first rank of a machine, with the threads of all; the others read its
// tokens in place.
std::shared_ptr<const data::TokenCorpus> open_corpus(const settings::TaskSettings& what,
                                                     int threads, process::DataAccess& access) {
  if (data::packed::is_packed(what.data)) {
    throw configuration("--data '" + what.data + "' is packed images",
                        "text: a file, a folder of files or a token file");
  }
  const auto progress = progress_of(access);
  const auto vocab = vocabulary_of(what);
  if (!data::holds_text(what.data)) {
    return data::open_corpus(what.data, vocab, what.cased, threads, progress);
  }
  const process::SharedBytes tokens = access.once_per_node(
      "text " + what.data + "|" + vocab.string() + (what.cased ? "|cased" : ""), [&](bool) {
        return process::held(data::tokenize_in_memory(what.data, vocab, what.cased,
                                                      threads * access.ranks_here(), progress));
      });
  return data::open_tokens(tokens.bytes, tokens.owner, what.data, progress);
}

WorkloadData open_text(const settings::Settings& settings, const catalogue::Workload& workload,
                       process::DataAccess& access) {
  const auto corpus = open_corpus(settings.task, settings.parallel.threads, access);
  auto samples = data::open_pretraining(
      corpus,
      {.sequence_length = settings.task.sequence_length,
       .masked_multiple =
           settings.parallel.device == settings::DeviceKind::kCuda ? kMaskedMultipleOnGpu : 1});
  auto shape = asked_shape(settings.task);
  shape.vocab_size = corpus->vocabulary_size();
  return {.shape = catalogue::resolved_shape(workload, shape),
          .identity = corpus->identity(),
          .replaced_bytes = corpus->replaced_bytes(),
          .left_out = corpus->left_out(),
          .train = std::move(samples.train),
          .held_out = std::move(samples.evaluate),
          .notes = data::left_out_notes(settings.task.data, corpus->left_out())};
}

WorkloadData open_samples(const settings::Settings& settings, const catalogue::Workload& workload,
                          process::DataAccess& access) {
  if (settings.task.data == "synthetic") {
    return {.shape = catalogue::resolved_shape(workload, asked_shape(settings.task)),
            .identity = "synthetic"};
  }
  switch (workload.data_kind) {
    case catalogue::DataKind::kImages:
      return open_images(settings, workload, access);
    case catalogue::DataKind::kText:
      return open_text(settings, workload, access);
    case catalogue::DataKind::kVectors:
      break;
  }
  throw configuration("--data " + settings.task.data,
                      workload.name + " trains on synthetic vectors only", "use --data synthetic");
}

}  // namespace

const catalogue::Workload& workload_named(const std::string& name) {
  if (const auto* workload = catalogue::find_workload(name)) return *workload;
  throw configuration("unknown workload '" + name + "'");
}

WorkloadData open_data(const settings::Settings& settings, const catalogue::Workload& workload,
                       process::DataAccess& access) {
  const std::string& weights = settings.recipe.init_from;
  std::vector<std::string> notes;
  if (!weights.empty()) notes = workloads::notes_on_weights(weights);
  WorkloadData opened = open_samples(settings, workload, access);
  opened.notes.insert(opened.notes.end(), notes.begin(), notes.end());
  return opened;
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
    throw bug("a workload without a data kind");
  };
  std::vector<data::HostBatch> batches;
  for (int k = 0; k < planning::kSyntheticBatches; ++k) {
    const auto number = static_cast<std::uint64_t>(rank) * planning::kSyntheticBatches +
                        static_cast<std::uint64_t>(k);
    batches.push_back(make(settings.recipe.seed + number));
  }
  return batches;
}

namespace {

bool pins_memory(device::Device& device, const settings::Settings& settings) {
  return settings.loading.pin_memory && device.torch_device().is_cuda();
}

std::unique_ptr<BatchSource> source_of_one(device::Device& device,
                                           const settings::Settings& settings,
                                           const catalogue::Workload& workload,
                                           const WorkloadData& data, const TrainingRanks& rank) {
  if (data.train) return endless_epochs(*data.train, sampling_of(device, settings, rank));
  auto batches = synthetic_batches(settings, workload, data.shape, rank.first,
                                   device.batch_allocator(settings.loading.pin_memory));
  if (!settings.loading.synthetic_in_loop) return cached_batches(std::move(batches));
  return fresh_batches(batches.front(), random_ranges(workload, data.shape),
                       first_seed(settings, rank.first));
}

}  // namespace

SamplingOptions sampling_of(device::Device& device, const settings::Settings& settings,
                            const TrainingRanks& ranks) {
  return {.loader = {.batch_size = settings.size.batch_size,
                     .workers = settings.loading.workers,
                     .batches_ahead = settings.loading.prefetch,
                     .on_bad_sample = settings.loading.on_bad_sample == settings::OnBadSample::kSkip
                                          ? data::OnBadSample::kSkip
                                          : data::OnBadSample::kFail,
                     .seed = settings.recipe.seed,
                     .allocate = device.batch_allocator(settings.loading.pin_memory)},
          .ranks = ranks,
          .pinned = pins_memory(device, settings),
          .drop_last = settings.loading.drop_last,
          .seed = settings.recipe.seed};
}

std::unique_ptr<BatchSource> open_source(device::Device& device, const settings::Settings& settings,
                                         const catalogue::Workload& workload,
                                         const WorkloadData& data, const TrainingRanks& ranks) {
  std::vector<std::unique_ptr<BatchSource>> sources;
  for (int i = 0; i < ranks.count; ++i) {
    sources.push_back(source_of_one(device, settings, workload, data, ranks.one(i)));
  }
  auto source = joined_batches(std::move(sources), pins_memory(device, settings));
  const bool cached = !data.train && !settings.loading.synthetic_in_loop;
  if (ranks.count == 1 || !cached) return source;
  return cached_batches(*source, planning::kSyntheticBatches);  // joined once for all steps
}

}  // namespace scalemark::running
