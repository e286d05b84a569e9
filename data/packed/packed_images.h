// Packed data opened for loading: its index and shards, and the data set of one split of it. Knows
// nothing of ranks or threads, nor of how the data was packed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/images/image_folder.h"
#include "data/load/dataset.h"
#include "data/long_work.h"
#include "data/packed/index.h"
#include "data/packed/shard_file.h"

namespace scalemark::data {

// Packed data opened for reading: its index and its shards.
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

// The samples of a split in the order of the tree they come from, with its fields, under its keys:
// of form jpeg they are the same to the bit. A sample that does not match its checksum is a bad
// sample (65), named with its shard; pixels (raw-256) are mapped and not checked, since a crop
// reads a part of them: `data verify` does. `options.root` is not looked at.
std::unique_ptr<Dataset> open_packed_images(std::shared_ptr<const PackedData> data,
                                            const ImageFolderOptions& options);

// Its training images.
std::unique_ptr<ImageSource> source_of(std::shared_ptr<const PackedData> data);

// The split of an image tree or of packed data, whichever `options.root` is.
std::unique_ptr<Dataset> open_images(const ImageFolderOptions& options);

}  // namespace scalemark::data
