// Crops of JPEG files with every combination of sampling factors that libjpeg reads, at every
// scale: the pixels of the whole picture, whatever lay in the memory before.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <random>

#include "core/base/error.h"
#include "data/images/image_view.h"
#include "data/images/jpeg/indexed_jpeg.h"
#include "tests/data/images/made_jpeg.h"

namespace scalemark::data {
namespace {

using Factors = std::vector<std::pair<int, int>>;

// libjpeg's encoder and its decoder take whole ratios only, and 10 blocks in an MCU of several
// components.
bool is_coded(const Factors& factors, bool separate) {
  int across = 0, down = 0, blocks = 0;
  for (const auto& [h, v] : factors) {
    across = std::max(across, h);
    down = std::max(down, v);
    blocks += h * v;
  }
  return (separate || blocks <= 10) && std::ranges::all_of(factors, [&](const auto& one) {
           return across % one.first == 0 && down % one.second == 0;
         });
}

Factors factors_of(int number) {
  Factors factors;
  for (int c = 0; c < 3; ++c, number /= 16) {
    factors.emplace_back(1 + number % 4, 1 + number / 4 % 4);
  }
  return factors;
}

std::string text_of(const Factors& factors) {
  std::string text;
  for (const auto& [h, v] : factors) text += std::to_string(h) + "x" + std::to_string(v) + " ";
  return text;
}

// glibc fills memory with this when it is handed out.
DecodedRegion decoded(ImageDecoder& image, const Box& box, int eighths, int fill) {
  mallopt(M_PERTURB, fill);
  DecodedRegion region = image.decode(box, eighths);
  mallopt(M_PERTURB, 0);
  return region;
}

Bytes part_of(const DecodedRegion& region, const Box& part) {
  Bytes bytes;
  for (int y = part.top; y < part.top + part.height; ++y) {
    const std::uint8_t* const first =
        region.pixels.row(y - region.top) + 3 * (part.left - region.left);
    bytes.insert(bytes.end(), first, first + 3 * part.width);
  }
  return bytes;
}

struct Cropped {
  Box box;
  int eighths;

  // The part of the scaled image.
  Box part(ImageSize scaled) const {
    const int left = box.left * eighths / 8, top = box.top * eighths / 8;
    const int right = std::min(scaled.width, ((box.left + box.width) * eighths + 7) / 8);
    const int bottom = std::min(scaled.height, ((box.top + box.height) * eighths + 7) / 8);
    return {.left = left, .top = top, .width = right - left, .height = bottom - top};
  }
};

// The number of crops that differ.
int faults_of(const Bytes& file, std::mt19937& random, int crops) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const auto [width, height] = open_image(file, "it")->size();
  const auto indexed = with_access_points(file);
  int faults = 0;
  for (const int eighths : {8, 4, 2, 1}) {
    const Box all{.width = width, .height = height};
    const auto whole = decoded(*open_image(file, "it"), all, eighths, 0x55);
    faults += part_of(whole, {.width = whole.pixels.width, .height = whole.pixels.height}) !=
              part_of(decoded(*open_image(file, "it"), all, eighths, 0xaa),
                      {.width = whole.pixels.width, .height = whole.pixels.height});
    for (int i = 0; i < crops; ++i) {
      const int left = below(width), top = below(height);
      const Box box{left, top, 1 + below(width - left), 1 + below(height - top)};
      const Box part = Cropped{box, eighths}.part({whole.pixels.width, whole.pixels.height});
      const Bytes wanted = part_of(whole, part);
      bool same = true;
      for (const int fill : {0x55, 0xaa}) {
        same =
            same && part_of(decoded(*open_image(file, "it"), box, eighths, fill), part) == wanted;
      }
      if (indexed) {
        const auto packed = open_indexed_jpeg(indexed->bytes, "it", indexed->points);
        same = same && part_of(decoded(*packed, box, eighths, 0x33), part) == wanted;
      }
      faults += !same;
    }
  }
  return faults;
}

TEST(SamplingFactors, CropsOfEachCombinationAreThePixelsOfTheWhole) {
  std::mt19937 random(8);
  std::vector<std::pair<int, bool>> coded;
  for (int number = 0; number < 16 * 16 * 16; ++number) {
    for (const bool separate : {false, true}) {
      if (is_coded(factors_of(number), separate)) coded.emplace_back(number, separate);
    }
  }
  EXPECT_GT(coded.size(), 1000u);
  std::ranges::shuffle(coded, random);
  coded.resize(120);
  for (const auto& [number, separate] : coded) {
    const JpegForm form{.width = 1 + static_cast<int>(random() % 140),
                        .height = 1 + static_cast<int>(random() % 140),
                        .progressive = !separate && random() % 4 == 0,
                        .restart = random() % 4 == 0 ? 3 : 0,
                        .noise = 60,
                        .factors = factors_of(number),
                        .separate = separate};
    EXPECT_EQ(faults_of(jpeg_of(form), random, 6), 0) << text_of(form.factors) << text_of(form);
  }
}

}  // namespace
}  // namespace scalemark::data
