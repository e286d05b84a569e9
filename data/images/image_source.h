// The encoded images of a data set, one after the other, in the steps in which loading gets at
// them. For measurements of the single steps; knows nothing of crops or of what is measured.
#pragma once

#include <cstdint>
#include <memory>

#include "data/images/decode.h"
#include "data/images/image_folder.h"

namespace scalemark::data {

// read(), then the others, which are of the image that was read last. They throw what loading the
// image would.
class ImageSource {
 public:
  virtual ~ImageSource() = default;
  virtual std::int64_t size() const = 0;

  // Copies the bytes of image `index` to where its decoder reads them; false where loading copies
  // none.
  virtual bool read(std::int64_t index) = 0;

  // Compares these bytes with their checksum; false where loading looks at none.
  virtual bool check() const { return false; }

  // `memory` must outlive the decoder.
  virtual std::unique_ptr<ImageDecoder> open(DecoderMemory& memory) const = 0;
};

// The training images of a tree, which must outlive it.
std::unique_ptr<ImageSource> source_of(const ImageTree& tree);

}  // namespace scalemark::data
