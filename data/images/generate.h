// `scalemark data generate images`: a small labelled JPEG tree that anyone can make, with one shape
// in each picture. Knows nothing of networks or loading.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "data/images/decode.h"
#include "data/load/dataset.h"

namespace scalemark::data {

// Draws a shape in one colour, 54-90 % of the shorter side across, turned and placed at random, on
// a background that changes from one colour to another, with noise. Shape and background differ
// clearly in brightness. Pure: the same shape, size and random numbers give the same pixels.
Pixels draw_shape(int shape, ImageSize size, SampleRandom& random);

// Returns sizes like 500 x 375: shorter side 300-450, ratio 3/4 to 16/9, a quarter of them upright.
ImageSize random_photo_size(SampleRandom& random);

struct GenerateImagesOptions {
  std::string dir;
  int classes = 10;                         // 2 to 10
  std::int64_t samples = 500;               // number in train/, spread evenly over the classes
  std::optional<std::int64_t> val_samples;  // number in val/; nullopt: a fifth of `samples`
  std::uint64_t seed = 0;
  // Side of square images in pixels; absent: sizes as in ImageNet, around 500 x 375.
  std::optional<int> size;
  int threads = 1;         // the files do not depend on it
  bool overwrite = false;  // replace a tree that was made by generate_images
};

struct GeneratedImages {
  std::int64_t train = 0;
  std::int64_t val = 0;
  std::int64_t bytes = 0;
};

// Makes dir/train/<shape>/<number>.jpg and dir/val/ likewise. Classes differ in shape alone;
// colours, background, size, place and rotation are random. The same options give the same bytes.
// Refuses (78) counts out of range, (73) a dir that is not empty or cannot be written; even with
// `overwrite` a dir whose train/ or val/ holds other files, so that no photos are lost.
GeneratedImages generate_images(const GenerateImagesOptions& options);

}  // namespace scalemark::data
