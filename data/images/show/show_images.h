// A picture of an image tree as a network sees it: `scalemark data show`.
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

// --- Letters of 5 x 7 pixels, drawn into RGB pixels.

inline constexpr int kLetterWidth = 6;   // includes the gap after it
inline constexpr int kLetterHeight = 8;  // includes the gap below it

// Writes black letters with the upper left corner at (left, top), each pixel enlarged to `scale` x
// `scale`. Parts outside `image` are left out; bytes that are no printable ASCII become '?'.
void write_text(Pixels& image, int left, int top, std::string_view text, int scale);

// --- Pictures of one size side by side, each with lines of text below it.

struct Picture {
  RgbView pixels;
  std::vector<std::string> lines;  // too long lines are cut and end in ".."
};

struct SheetSize {
  std::int64_t width = 0;
  std::int64_t height = 0;
};

// Returns the size for `pictures`, at least one, with `lines` lines of text below each.
SheetSize sheet_size(std::int64_t pictures, int columns, ImageSize picture, int lines);

// Arranges at least one picture row by row; `columns` >= 1.
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
  int columns = 6;            // is the size of mixed batches, too
};

struct ShownImages {
  std::int64_t samples = 0;
  std::int64_t data_size = 0;
  ImageSize sheet;
  std::vector<SkippedSample> skipped;
  std::vector<std::string> notes;  // ImageTree::notes
};

// Shows the first samples of epoch 0 as training on one rank sees them, with their classes below.
// Throws 73 when the file exists or is a folder, 78 when its name does not end in .png or the sheet
// would be too large, and what opening and loading the data throw.
ShownImages show_images(const ShowOptions& options);

}  // namespace scalemark::data
