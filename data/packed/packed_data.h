// Packed data opened for reading: its index and its shards. Knows nothing of how a sample becomes
// pixels.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/packed/index.h"
#include "data/packed/shard_file.h"
#include "data/progress.h"

namespace scalemark::data {

class PackedData {
 public:
  PackedData(const std::string& root, const Progress& progress);

  const packed::Index& index() const { return index_; }
  const packed::ShardFile& shard_of(const packed::SampleEntry& sample) const {
    return *shards_[sample.shard];
  }

 private:
  packed::Index index_;
  std::vector<std::unique_ptr<packed::ShardFile>> shards_;
};

// An index and its shards, each opened and found as long as the index says. Errors: those of Index;
// 66 a shard is missing, 65 it is cut, too long or of another packing.
std::shared_ptr<const PackedData> open_packed_data(const std::string& root,
                                                   const Progress& progress = {});

}  // namespace scalemark::data
