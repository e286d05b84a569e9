#include <gtest/gtest.h>

#include <vector>

#include "data/images/show/show_images.h"

namespace scalemark::data {
namespace {

int black_pixels(const Pixels& image, int left, int top, int right, int bottom) {
  int black = 0;
  for (int y = top; y < bottom; ++y) {
    for (int x = left; x < right; ++x) black += image.row(y)[3 * x] == 0;
  }
  return black;
}

Pixels white(int width, int height) {
  Pixels image(width, height);
  std::fill_n(image.row(0), image.stride() * static_cast<std::size_t>(height), 0xff);
  return image;
}

TEST(SmallFont, ALetterHasItsPixels) {
  Pixels image = white(6, 8);
  write_text(image, 0, 0, "T", 1);
  std::string shape;
  for (int y = 0; y < 7; ++y) {
    for (int x = 0; x < 5; ++x) shape += image.row(y)[3 * x] == 0 ? '#' : '.';
  }
  EXPECT_EQ(shape,
            "#####"
            "..#.."
            "..#.."
            "..#.."
            "..#.."
            "..#.."
            "..#..");
}

TEST(SmallFont, LeavesOutWhatIsOutside) {
  Pixels image = white(4, 4);
  write_text(image, -1, -1, "W\xff\n~", 2);
  write_text(image, 100, 100, "W", 1);
  EXPECT_GT(black_pixels(image, 0, 0, 4, 4), 0);
}

TEST(ContactSheet, PicturesStandInRowsWithTheirLinesBelow) {
  std::vector<std::uint8_t> bytes(3 * 10 * 12, 77);
  const std::vector<Picture> pictures(3, {.pixels = {bytes.data(), 10, 12}, .lines = {"I"}});
  const Pixels sheet = contact_sheet(pictures, 2);
  EXPECT_EQ(sheet.width, 8 + 2 * (10 + 8));
  EXPECT_EQ(sheet.height, 8 + 2 * (12 + 9 + 8));
  int grey = 0;
  for (int y = 0; y < sheet.height; ++y) {
    for (int x = 0; x < sheet.width; ++x) grey += sheet.row(y)[3 * x] == 77;
  }
  EXPECT_EQ(grey, 3 * 10 * 12);
  EXPECT_GT(black_pixels(sheet, 8, 8 + 12, 18, 8 + 12 + 9), 0);          // this is below the first
  EXPECT_EQ(black_pixels(sheet, 26, 8 + 29 + 12, 36, sheet.height), 0);  // there is no fourth
}

TEST(ContactSheet, LongLinesAreCutWithinTheirPicture) {
  std::vector<std::uint8_t> bytes(3 * 30 * 8, 77);
  const std::vector<Picture> pictures(
      1, {.pixels = {bytes.data(), 30, 8}, .lines = {"a class with a long name"}});
  const Pixels sheet = contact_sheet(pictures, 4);
  EXPECT_EQ(sheet.width, 8 + 30 + 8);
  EXPECT_EQ(black_pixels(sheet, 38, 0, sheet.width, sheet.height), 0);
}

}  // namespace
}  // namespace scalemark::data
