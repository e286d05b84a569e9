// A picture of what a network sees of an image tree: `scalemark data show`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "data/augment/augmented_dataset.h"
#include "data/images/image_view.h"
#include "data/loader.h"

namespace scalemark::data {

struct ShowOptions {
  std::string data;              // an image tree
  std::filesystem::path output;  // a PNG file
  bool overwrite = false;
  int image_size = 224;
  std::uint64_t seed = 0;
  ImageDecoding decoding = ImageDecoding::kExact;
  OnBadSample on_bad_sample = OnBadSample::kFail;
  Augmentation augmentation;
  std::int64_t samples = 24;  // fewer where the data set has fewer
  int columns = 6;            // also the size of the batches that are mixed
};

struct ShownImages {
  std::int64_t samples = 0;
  std::int64_t data_size = 0;
  ImageSize sheet;
  std::vector<SkippedSample> skipped;
  std::vector<std::string> notes;  // ImageTree::notes
};

// The first samples of epoch 0 as training on one rank sees them, with their classes below. Throws
// 73 when the file is there or a folder, 78 when its name does not end in .png or the sheet would
// be too large, and what opening and loading the data throw.
ShownImages show_images(const ShowOptions& options);

}  // namespace scalemark::data
