// Where the time of one image goes: each stage of loading timed by itself, on the calling thread.
// For `scalemark data bench`; knows nothing of batches, workers or what is printed.
#pragma once

#include <cstdint>

#include "data/images/image_folder.h"

namespace scalemark::data {

// Seconds, of all images together, none below 0; they add up to what loading takes.
struct ImageStages {
  std::int64_t images = 0;
  double read_s = 0;      // the file, record or map, from the system's cache
  double checksum_s = 0;  // exactly 0 where no record has one
  double entropy_s = 0;   // headers and Huffman or arithmetic decoding
  double idct_s = 0;
  double colour_s = 0;  // to RGB; under kExact with the upsampling of chroma
  double resize_s = 0;
  double flip_s = 0;
  double other_s = 0;  // decoding of files that store no planes: PNG, CMYK

  ImageStages& operator+=(const ImageStages& more);
  double total_s() const {
    return read_s + checksum_s + entropy_s + idct_s + colour_s + resize_s + flip_s + other_s;
  }
};

// Shows each of up to `most` images, spread evenly, as epoch 0 of training would. A stage is the
// shortest of three tries, or the difference of two such: decoding with and without the inverse
// DCT, resizing with and without conversion. Leaves out what cannot be decoded.
ImageStages time_stages(ImageSource& source, const ImageFolderOptions& options, std::uint64_t seed,
                        std::int64_t most);

}  // namespace scalemark::data
