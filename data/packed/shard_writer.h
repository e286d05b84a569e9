// Writes one shard; it appears under its name when it is complete and on the disk. Also what a
// repeated packing reads of a finished one. Knows nothing of images.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "core/base/atomic_file.h"
#include "data/packed/format.h"

namespace scalemark::data::packed {

// `shard` of the entries and `first` of the shard are not known here: both are 0.
struct FinishedShard {
  ShardEntry shard;
  std::vector<SampleEntry> samples;
  std::uint64_t next = 0;  // as ShardEnd::next
};

class ShardWriter {
 public:
  // Errors: 73 it cannot be created; add() and finish(): 74.
  ShardWriter(const std::filesystem::path& folder, const ShardHeader& header);

  std::uint64_t bytes() const { return bytes_; }
  std::size_t samples() const { return entries_.size(); }
  // Size of the finished shard, were a sample of so many bytes added.
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

// What a finished shard says of itself, its header being `expected`; absent: there is none under
// its name. Throws bad_data() (65) for one that is damaged or of another packing. Reads all of it,
// for its checksum.
std::optional<FinishedShard> read_finished_shard(const std::filesystem::path& folder,
                                                 const ShardHeader& expected);

}  // namespace scalemark::data::packed
