// What one sample shows of an image, and how it gets there: decoding, resizing, flipping. Knows
// nothing of files, folders or labels.
#pragma once

#include <cstdint>
#include <vector>

#include "data/images/decode.h"
#include "data/images/planes.h"
#include "data/images/resize.h"
#include "data/images/transforms.h"

namespace scalemark::data {

enum class ImageDecoding {
  kExact,  // RGB first, then resized, as torchvision does it; a crop that is at least twice the
           // target's size is decoded at half its size or less
  kFast,   // Y, Cb and Cr are resized each by itself and become RGB at the target's size; where a
           // file stores something else (PNG, CMYK), as kExact
};

struct ImageView {
  Box box;              // decoded is at least this
  bool scaled = false;  // the decoder may reduce it
  ResizePlan plan;      // its box in pixels of the whole image
};

// Pure.
ImageView view_of(ImageSize image, const SampleKey& key, ImageTransform transform, int size);

// A random crop that has been drawn: `box` becomes size x size pixels.
ImageView crop_view(const Box& box, int size, bool flip);

// Memory for one sample at a time, which is kept from sample to sample: an image's pages need not
// be mapped anew each time.
struct ImageWorkspace {
  std::vector<std::uint8_t> file;
  DecoderMemory decoder;
  PlanarRegion planes;
  ResizeBuffers resize;
};

// Writes view.plan.window of RGB pixels to `target`.
void write_view(ImageDecoder& image, const ImageView& view, ImageDecoding decoding,
                ImageWorkspace& workspace, std::uint8_t* target);

// The steps of write_view(). At which eighths the image is decoded: kFast never reduces there, even
// to twice the target's size, since the decoder's reduction is sharper than a triangle filter's
// (p99.9 of single photos: 12 levels).
int scale_of(const ImageView& view, ImageDecoding decoding);

// The view's plan, in pixels of what has been decoded.
ResizePlan plan_of(const ImageView& view, const DecodedRegion& region);
ResizePlan plan_of(const ImageView& view, const PlanarRegion& region);

}  // namespace scalemark::data
