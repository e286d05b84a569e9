// `scalemark data generate images`: a small labelled JPEG tree that anyone can make. Knows nothing
// of networks or loading.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace scalemark::data {

struct GenerateImagesOptions {
  std::string dir;
  int classes = 10;                         // 2 to 10
  std::int64_t samples = 500;               // in train/, spread evenly over the classes
  std::optional<std::int64_t> val_samples;  // in val/; a fifth of `samples` when absent
  std::uint64_t seed = 0;
  std::optional<int> size;  // square side in pixels; absent: sizes as in ImageNet, around 500 x 375
  int threads = 1;          // the files do not depend on it
  bool overwrite = false;   // replace a tree that was made by generate_images
};

struct GeneratedImages {
  std::int64_t train = 0;
  std::int64_t val = 0;
  std::int64_t bytes = 0;
};

// Makes dir/train/<shape>/<number>.jpg and dir/val/ likewise. Classes differ in shape alone;
// colours, background, size, place and rotation are random. The same options give the same bytes.
// Refuses (78) counts out of range, (73) a dir that is not empty or cannot be written; with
// `overwrite` one whose train/ or val/ hold other files: no photos are lost.
GeneratedImages generate_images(const GenerateImagesOptions& options);

}  // namespace scalemark::data
