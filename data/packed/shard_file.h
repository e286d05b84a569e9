// One shard opened for reading: whole and of the right packing as far as its length and header
// tell. Knows nothing of what its samples are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/base/atomic_file.h"
#include "data/packed/index.h"

namespace scalemark::data::packed {

class ShardFile {
 public:
  // Errors: 66 it is missing; 65 its length is not that of the index, or its header is another;
  // 74 it cannot be read.
  ShardFile(const Index& index, const ShardEntry& shard, bool mapped);
  // For who looks at length and header by itself: not mapped.
  ShardFile(const Index& index, const ShardEntry& shard);

  // Throw bad_data() (65).
  void check_length(const ShardEntry& shard) const;
  void check_header(const Index& index, const ShardEntry& shard) const;

  std::uint64_t length() const;
  bool mapped() const { return map_ != nullptr; }
  // Throws io_error() (74) when reading fails, or the shard ends before, though it was whole.
  void read(std::uint64_t offset, std::span<std::byte> target) const;
  std::span<const std::byte> mapped_bytes(const SampleEntry& sample) const;
  // Asks the system to read the sample into its cache meanwhile, mapped or not: a map shows the
  // same cache.
  void expect(const SampleEntry& sample) const noexcept;

 private:
  std::string path_;
  Descriptor file_;
  std::unique_ptr<MappedFile> map_;
};

}  // namespace scalemark::data::packed
