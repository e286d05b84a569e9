#include "data/packed/pack.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/number_words.h"
#include "data/images/image_folder.h"
#include "data/packed/index.h"
#include "data/packed/ordered_work.h"
#include "data/packed/plan.h"
#include "data/packed/record.h"
#include "data/packed/shard_file.h"

namespace scalemark::data {
namespace {

namespace fs = std::filesystem;
using namespace packed;

// A record, or the reason why there is none.
struct Made {
  Record record;
  std::optional<std::string> bad;
};

IndexParts parts_of(const ImageTree& tree, const PackOptions& options, const Plan& plan) {
  IndexParts parts;
  parts.header.form = options.form;
  parts.header.side = options.form == Form::kJpeg ? 0 : kShorterSide;
  parts.header.quality = options.form == Form::kJpeg256 ? kQuality : 0;
  parts.header.held_out = tree.held_out ? 1 : 0;
  parts.header.plan = plan.digest();
  for (const std::string& name : tree.classes) {
    parts.classes.push_back({.name = parts.texts.size(), .bytes = name.size()});
    parts.texts += name;
  }
  return parts;
}

// Packs one tree into one folder.
class ShardPacker {
 public:
  ShardPacker(const PackOptions& options, const ImageTree& tree, const Plan& plan,
              const PackingFolder& folder)
      : options_(options), tree_(tree), folder_(folder), parts_(parts_of(tree, options, plan)) {}

  PackReport run() {
    pack_split(kTrain, tree_.train);
    parts_.header.train = parts_.samples.size();
    pack_split(kEvaluate, tree_.evaluate);
    parts_.header.evaluate = parts_.samples.size() - parts_.header.train;
    write_index();
    return std::move(report_);
  }

 private:
  struct Split {
    std::uint32_t split;
    const std::vector<ImageFile>& files;
    std::vector<SampleEntry> paths;  // offset of each path, and labels
    std::uint64_t number = 0;        // number of the shard that is being written
    std::optional<ShardWriter> writer = {};
  };

  ShardHeader header_of(const Split& split) const {
    return {.split = split.split, .number = split.number, .plan = parts_.header.plan};
  }

  void pack_split(std::uint32_t number, const std::vector<ImageFile>& files) {
    Split split{.split = number, .files = files, .paths = places_of(files)};
    const std::size_t first = find_finished(split);
    make_in_order<Made>(
        first, files.size(), options_.threads, [&](std::size_t i) { return make(files[i]); },
        [&](std::size_t i, Made made) { take(split, i, std::move(made)); });
    if (split.writer) finish_shard(split, files.size());
    done_ += std::ssize(files);
  }

  std::vector<SampleEntry> places_of(const std::vector<ImageFile>& files) {
    std::vector<SampleEntry> entries;
    for (const ImageFile& file : files) {
      entries.push_back({.path = parts_.texts.size(),
                         .path_bytes = static_cast<std::uint32_t>(file.path.size()),
                         .label = static_cast<std::uint32_t>(file.label)});
      parts_.texts += file.path;
    }
    return entries;
  }

  // Reads the shards that an earlier call finished; returns where in the split they end.
  std::size_t find_finished(Split& split) {
    std::size_t next = 0;
    while (auto shard = read_finished_shard(folder_.path(), header_of(split))) {
      note_left_out(split, *shard, next);
      next = shard->next;
      keep(split, *std::move(shard));
      ++report_.shards_found;
    }
    if (next > 0) report_progress(next);
    return next;
  }

  Made make(const ImageFile& file) const {
    const std::string path = tree_.root + '/' + file.path;
    try {
      return {.record = make_record(options_.form, read_image_file(path), path)};
    } catch (const Error& error) {
      if (!options_.skip_bad_samples || error.record().exit_code != ExitCode::kBadData) throw;
      return {.bad = error.record().what};
    }
  }

  void take(Split& split, std::size_t i, Made made) {
    if (made.bad) {
      report_.left_out.push_back(*made.bad);
    } else {
      if (!made.record.fault.empty()) report_.kept_undecodable.push_back(made.record.fault);
      add(split, i, made.record);
    }
    report_progress(i + 1);
  }

  // `done` is the number of processed samples of the split.
  void report_progress(std::size_t done) const {
    if (!options_.progress) return;
    options_.progress(done_ + static_cast<std::int64_t>(done),
                      std::ssize(tree_.train) + std::ssize(tree_.evaluate));
  }

  void add(Split& split, std::size_t i, const Record& record) {
    const bool full = split.writer && split.writer->bytes_with(record.bytes.size()) >
                                          static_cast<std::uint64_t>(options_.shard_bytes);
    if (full) finish_shard(split, i);
    if (!split.writer) split.writer.emplace(folder_.path(), header_of(split));
    SampleEntry entry = split.paths[i];
    entry.checksum = record.checksum;
    entry.encoding = static_cast<std::uint32_t>(record.encoding);
    entry.width = static_cast<std::uint32_t>(record.size.width);
    entry.height = static_cast<std::uint32_t>(record.size.height);
    split.writer->add(entry, std::as_bytes(std::span(record.bytes)));
  }

  void finish_shard(Split& split, std::size_t next) {
    keep(split, split.writer->finish(next));
    split.writer.reset();
  }

  void keep(Split& split, FinishedShard shard) {
    shard.shard.first = parts_.samples.size();
    for (SampleEntry& entry : shard.samples) {
      entry.shard = static_cast<std::uint32_t>(parts_.shards.size());
      report_.indexed += entry.encoding == static_cast<std::uint32_t>(Encoding::kIndexed);
      parts_.samples.push_back(entry);
    }
    parts_.shards.push_back(shard.shard);
    report_.bytes += static_cast<std::int64_t>(shard.shard.bytes);
    ++split.number;
  }

  // Notes the samples from `first` on that an earlier call left out of `shard`.
  void note_left_out(const Split& split, const FinishedShard& shard, std::size_t first) {
    std::set<std::uint64_t> kept;
    for (const SampleEntry& entry : shard.samples) kept.insert(entry.path);
    for (std::size_t i = first; i < std::min<std::size_t>(shard.next, split.files.size()); ++i) {
      if (kept.contains(split.paths[i].path)) continue;
      report_.left_out.push_back(tree_.root + '/' + split.files[i].path +
                                 ": left out by an earlier call");
    }
  }

  void write_index() {
    report_.train = static_cast<std::int64_t>(parts_.header.train);
    report_.evaluate = static_cast<std::int64_t>(parts_.header.evaluate);
    report_.shards = std::ssize(parts_.shards);
    const std::vector<std::byte> bytes = index_bytes(std::move(parts_));
    AtomicFile file(folder_.path() / kIndexName, folder_.path() / kPartName);
    file.append(bytes);
    file.commit();
    report_.bytes += std::ssize(bytes);
    std::error_code ignored;  // beside an index the plan has no meaning, so errors are ignored
    fs::remove(folder_.path() / kPlanName, ignored);
  }

  const PackOptions& options_;
  const ImageTree& tree_;
  const PackingFolder& folder_;
  IndexParts parts_;
  PackReport report_;
  std::int64_t done_ = 0;
};

// The paths contain the names of the classes.
std::string identity_of_tree(const ImageTree& tree) {
  return identity_of(tree.root, tree.train) + "+" + identity_of(tree.root, tree.evaluate);
}

void refuse_if_invalid(const PackOptions& options) {
  constexpr std::int64_t kLeast = 4096;
  if (options.shard_bytes < kLeast) {
    throw configuration("the size of a shard is " + size_text(options.shard_bytes), "4KiB or more");
  }
  if (options.threads < 1) throw bug("packing with no thread");
}

// Output within the tree would become a class, or images of one.
void refuse_output_within(const PackOptions& options) {
  if (is_same_file(options.output, options.tree)) {
    throw configuration(options.output + " is the folder that is to be packed", "another folder");
  }
  for (const char* split : {"train", "val"}) {
    const fs::path folder = fs::path(options.tree) / split;
    if (!lies_in(options.output, folder)) continue;
    throw configuration(options.output + " lies in " + folder.string() + ", which is to be packed",
                        "a folder outside of it", "choose another folder");
  }
}

}  // namespace

PackReport pack_images(const PackOptions& options) {
  refuse_if_invalid(options);
  refuse_output_within(options);
  PackingFolder folder(options.output, options.overwrite);
  const ImageTree tree = scan_image_tree(options.tree);
  const Plan plan{.form = options.form,
                  .shard_bytes = options.shard_bytes,
                  .skip_bad_samples = options.skip_bad_samples,
                  .tree = identity_of_tree(tree)};
  folder.begin(plan);
  PackReport report = ShardPacker(options, tree, plan, folder).run();
  report.identity = Index(options.output).identity();
  report.notes = tree.notes;
  return report;
}

}  // namespace scalemark::data
