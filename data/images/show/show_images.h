// A picture of what a network sees of an image tree: `scalemark data show`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/augment/augmented_dataset.h"
#include "data/images/decode.h"
#include "data/images/image_view.h"
#include "data/load/loader.h"

namespace scalemark::data {

// Letters of 5 x 7 pixels, drawn into RGB pixels.

inline constexpr int kLetterWidth = 6;   // with the gap behind it
inline constexpr int kLetterHeight = 8;  // with the gap below it

// Black, upper left corner at (left, top), each pixel `scale` x `scale`. What lies outside `image`
// is left out; a byte that is no printable ASCII becomes '?'.
void write_text(Pixels& image, int left, int top, std::string_view text, int scale);

// Pictures of one size side by side, each with lines of text below it.

struct Picture {
  RgbView pixels;
  std::vector<std::string> lines;  // too long ones are cut, and end in ".."
};

struct SheetSize {
  std::int64_t width = 0;
  std::int64_t height = 0;
};

// `pictures`, at least one, each have so many lines of text below them.
SheetSize sheet_size(std::int64_t pictures, int columns, ImageSize picture, int lines);

// Row by row, at least one picture; `columns` >= 1.
Pixels contact_sheet(std::span<const Picture> pictures, int columns);

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
