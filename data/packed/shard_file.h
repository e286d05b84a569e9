// One shard as a file. A written shard gets its name only when it is complete and on the disk;
// length and header of an opened shard must show that it is whole and of the right packing. Knows
// nothing of its samples' meaning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/atomic_file.h"
#include "data/packed/format.h"
#include "data/packed/index.h"

namespace scalemark::data::packed {

// One shard opened for reading.
class ShardFile {
 public:
  // Errors: 66 it is missing; 65 its length differs from the index, or its header is another; 74 it
  // cannot be read.
  ShardFile(const Index& index, const ShardEntry& shard, bool mapped);
  // Callers that check length and header themselves use this: the shard is not mapped.
  ShardFile(const Index& index, const ShardEntry& shard);

  // These throw bad_data() (65).
  void check_length(const ShardEntry& shard) const;
  void check_header(const Index& index, const ShardEntry& shard) const;

  std::uint64_t length() const;
  bool mapped() const { return map_ != nullptr; }
  // Throws io_error() (74) when reading fails, or when the shard now ends earlier.
  void read(std::uint64_t offset, std::span<std::byte> target) const;
  std::span<const std::byte> mapped_bytes(const SampleEntry& sample) const;
  // Asks the system to read the sample into its cache, for mapped shards as well, which share this
  // cache.
  void expect(const SampleEntry& sample) const noexcept;

 private:
  std::string path_;
  Descriptor file_;
  std::unique_ptr<MappedFile> map_;
};

// The facts of a finished shard, from its writer or from a repeated packing that reads it. The
// entries' `shard` and the shard's `first` are not known here: both are 0.
struct FinishedShard {
  ShardEntry shard;
  std::vector<SampleEntry> samples;
  std::uint64_t next = 0;  // see ShardEnd::next
};

class ShardWriter {
 public:
  // Errors: 73 it cannot be created. add() and finish() throw 74.
  ShardWriter(const std::filesystem::path& folder, const ShardHeader& header);

  std::uint64_t bytes() const { return bytes_; }
  std::size_t samples() const { return entries_.size(); }
  // Returns the size of the finished shard if a sample of so many bytes were added.
  std::uint64_t bytes_with(std::uint64_t sample) const;

  void add(SampleEntry entry, std::span<const std::byte> bytes);
  FinishedShard finish(std::uint64_t next);

 private:
  void append(std::span<const std::byte> bytes);

  ShardHeader header_;
  AtomicFile file_;
  Hash128 hash_;
  std::uint64_t bytes_ = 0;
  std::vector<SampleEntry> entries_;
};

Digest digest_of_entries(const ShardHeader& header, std::span<const SampleEntry> entries,
                         const ShardEnd& end);

// Reads the facts of a finished shard, whose header must be `expected`; absent: there is no shard
// under its name. Throws bad_data() (65) for one that is damaged or belongs to another packing.
// Reads the whole file for its checksum.
std::optional<FinishedShard> read_finished_shard(const std::filesystem::path& folder,
                                                 const ShardHeader& expected);

}  // namespace scalemark::data::packed
