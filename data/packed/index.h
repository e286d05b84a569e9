// The index of packed data: written once, at the end of packing; mapped and checked completely when
// data are opened, so that the ranks of a machine share its pages. Knows nothing of the shards'
// contents.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/long_work.h"
#include "data/mapped_file.h"
#include "data/packed/format.h"

namespace scalemark::data::packed {

class Index {
 public:
  // Reads the index of the folder `root`. Errors: 66 there is none (65 where packing was
  // interrupted), 65 another version, damage, or inconsistent numbers. `progress` is called now and
  // then.
  explicit Index(const std::string& root, const Progress& progress = {});

  const std::string& root() const { return root_; }
  const IndexHeader& header() const { return header_; }
  std::string identity() const { return to_hex(header_.header); }
  std::span<const ShardEntry> shards() const { return shards_; }
  std::span<const SampleEntry> samples() const { return samples_; }  // train, then evaluate
  std::span<const SampleEntry> split(std::uint32_t split) const;
  std::string_view path_of(const SampleEntry& sample) const;
  std::vector<std::string> class_names() const;
  std::filesystem::path shard_path(const ShardEntry& shard) const;
  // Returns "train/cat/1.jpg in DIR/train-00000.shard".
  std::string name_of(const SampleEntry& sample) const;

 private:
  void check_numbers() const;
  void check_classes() const;
  void check_shards() const;
  void check_sample(const SampleEntry& sample) const;

  std::string root_;
  std::unique_ptr<MappedFile> file_;
  IndexHeader header_;
  std::span<const ClassEntry> classes_;
  std::span<const ShardEntry> shards_;
  std::span<const SampleEntry> samples_;
  std::string_view texts_;
};

// Whether `root` holds packed data, finished or interrupted.
bool is_packed(const std::filesystem::path& root);

// The input of index_bytes(). Of the header it reads form, side, quality, held_out, plan, train and
// evaluate, and computes the rest.
struct IndexParts {
  IndexHeader header;
  std::vector<ClassEntry> classes;
  std::vector<ShardEntry> shards;
  std::vector<SampleEntry> samples;
  std::string texts;
};

// Returns the complete file.
std::vector<std::byte> index_bytes(IndexParts parts);

}  // namespace scalemark::data::packed
