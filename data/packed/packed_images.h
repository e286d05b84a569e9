// The data set of one split of packed data. Knows nothing of ranks or threads, nor of how the data
// was packed.
#pragma once

#include <memory>

#include "data/dataset.h"
#include "data/images/image_folder.h"
#include "data/images/image_source.h"
#include "data/packed/packed_data.h"

namespace scalemark::data {

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
