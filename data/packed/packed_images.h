// Packed data opened for loading: its index and shards, and the data set of one split. Knows
// nothing of ranks, threads or packing.
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

// An index and its shards, opened for reading.
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

// Opens an index and its shards, whose lengths must match the index. Errors: those of Index; 66 a
// shard is missing, 65 it is cut, too long or belongs to another packing.
std::shared_ptr<const PackedData> open_packed_data(const std::string& root,
                                                   const Progress& progress = {});

// The samples of a split in the order of their tree, with its fields, under its keys; in form jpeg
// they are the same to the bit. A sample that does not match its checksum is a bad sample (65),
// named with its shard. Pixels (raw-256) are mapped and not checked, since a crop reads a part of
// them; `data verify` checks them. `options.root` is ignored.
std::unique_ptr<Dataset> open_packed_images(std::shared_ptr<const PackedData> data,
                                            const ImageFolderOptions& options);

// Returns the training images of `data`.
std::unique_ptr<ImageSource> source_of(std::shared_ptr<const PackedData> data);

// Opens the split of an image tree or of packed data, whichever `options.root` is.
std::unique_ptr<Dataset> open_images(const ImageFolderOptions& options);

}  // namespace scalemark::data
