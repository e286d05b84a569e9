// The time of each stage of loading an image, measured by itself on the calling thread. For
// `scalemark data bench`; knows nothing of batches, workers or output.
#pragma once

#include <cstdint>

#include "data/images/image_folder.h"

namespace scalemark::data {

// Seconds of all images together, none below 0; their sum is the time of loading.
struct ImageStages {
  std::int64_t images = 0;
  double read_s = 0;      // file, record or map, from the system's cache
  double checksum_s = 0;  // exactly 0 where records have none
  double entropy_s = 0;   // headers and Huffman or arithmetic decoding
  double idct_s = 0;
  double colour_s = 0;  // conversion to RGB; under kExact also the upsampling of chroma
  double resize_s = 0;
  double flip_s = 0;
  double other_s = 0;  // decoding of files that store no planes: PNG, CMYK

  ImageStages& operator+=(const ImageStages& more);
  double total_s() const {
    return read_s + checksum_s + entropy_s + idct_s + colour_s + resize_s + flip_s + other_s;
  }
};

// Loads each of up to `most` images, spread evenly, as in epoch 0 of training. A stage's time is
// the shortest of three tries, or the difference of two such times: decoding with and without the
// inverse DCT, resizing with and without conversion. Images that cannot be decoded are left out.
ImageStages time_stages(ImageSource& source, const ImageFolderOptions& options, std::uint64_t seed,
                        std::int64_t most);

}  // namespace scalemark::data
