// JPEG files with access points: the same pixels, whole and in parts, at each scale.
#include "data/images/jpeg/indexed_jpeg.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <random>

#include "data/images/codecs.h"
#include "data/images/generate.h"
#include "data/images/image_view.h"
#include "data/packed/record.h"
#include "tests/data/images/made_jpeg.h"
#include "tests/data/text/temporary_folder.h"

namespace scalemark::data {
namespace {

namespace fs = std::filesystem;
using packed::Encoding;
using packed::Record;
Bytes drawn(ImageSize size, int quality = 85) {
  SampleRandom random(static_cast<std::uint64_t>(size.width * 7 + size.height));
  return encode_jpeg(draw_shape(2, size, random), quality);
}

Record record_of(const Bytes& file) { return packed::make_record(packed::Form::kJpeg, file, "it"); }

DecodedRegion part_of(const Record& record, const Box& box, int eighths) {
  return packed::open_record(record.encoding, record.bytes, record.size, "it")
      ->decode(box, eighths);
}

void expect_same_region(const Record& record, const Bytes& file, const Box& box, int eighths) {
  const DecodedRegion part = part_of(record, box, eighths);
  const DecodedRegion whole = open_image(file, "it")->decode(box, eighths);
  ASSERT_EQ(part.top, whole.top);
  ASSERT_EQ(part.left, whole.left);
  ASSERT_EQ(part.pixels.width, whole.pixels.width);
  ASSERT_EQ(part.pixels.height, whole.pixels.height);
  const std::size_t bytes = part.pixels.stride() * static_cast<std::size_t>(part.pixels.height);
  ASSERT_EQ(std::memcmp(part.pixels.row(0), whole.pixels.row(0), bytes), 0)
      << box.top << " + " << box.height << " of " << record.size.height << ", " << eighths << "/8";
}

void expect_same_parts(const Record& record, const Bytes& file, int boxes) {
  SampleRandom random(11);
  const auto [width, height] = record.size;
  for (int i = 0; i < boxes; ++i) {
    const int top = static_cast<int>(random.below(height)),
              left = static_cast<int>(random.below(width));
    const Box box{.left = left,
                  .top = top,
                  .width = 1 + static_cast<int>(random.below(width - left)),
                  .height = 1 + static_cast<int>(random.below(height - top))};
    for (const int eighths : {8, 4, 2, 1}) expect_same_region(record, file, box, eighths);
  }
}

TEST(IndexedJpeg, EveryRowOfPixelsByItselfIsTheSame) {
  const Bytes file = drawn({130, 101});
  const Record record = record_of(file);
  ASSERT_EQ(record.encoding, Encoding::kIndexed);
  for (int top = 0; top < 101; ++top) {
    for (const int height : {1, 2, 17}) {
      if (top + height > 101) continue;
      const Box box{.left = 0, .top = top, .width = 130, .height = height};
      for (const int eighths : {8, 4, 2, 1}) expect_same_region(record, file, box, eighths);
    }
  }
}

TEST(IndexedJpeg, EveryColumnOfPixelsByItselfIsTheSame) {
  const Bytes file = drawn({701, 40});
  const Record record = record_of(file);
  for (int left = 0; left < 701; ++left) {
    const Box box{.left = left, .top = left % 39, .width = 1, .height = 1};
    for (const int eighths : {8, 4, 2, 1}) expect_same_region(record, file, box, eighths);
  }
}

TEST(IndexedJpeg, SizesOfAnyKind) {
  for (const ImageSize size :
       {ImageSize{1, 1}, {3000, 2}, {2, 3000}, {16, 16}, {17, 33}, {640, 480}}) {
    const Bytes file = drawn(size);
    const Record record = record_of(file);
    ASSERT_EQ(record.encoding, Encoding::kIndexed);
    EXPECT_EQ(record.size.width, size.width);
    expect_same_parts(record, file, 20);
  }
}

TEST(IndexedJpeg, OtherFilesStayAsTheyAre) {
  EXPECT_FALSE(with_access_points(Bytes{1, 2, 3}));
  Bytes cut = drawn({200, 200});
  cut.resize(cut.size() - 300);
  EXPECT_FALSE(with_access_points(cut));
  const Record record = record_of(cut);
  EXPECT_EQ(record.encoding, Encoding::kFile);
  EXPECT_TRUE(record.bytes == cut);
}

// Every form of file, by both ways of decoding: the same bytes as from the tree.
TEST(IndexedJpeg, EveryFormShowsWhatTheTreeShows) {
  std::minstd_rand random(3);
  int indexed = 0;
  for (const JpegForm& form : all_jpeg_forms()) {
    SCOPED_TRACE(text_of(form));
    const Bytes file = jpeg_of(form);
    const Record record = record_of(file);
    indexed += record.encoding == Encoding::kIndexed;
    for (int trial = 0; trial < 4; ++trial) {
      const int left = static_cast<int>(random() % static_cast<unsigned>(form.width));
      const int top = static_cast<int>(random() % static_cast<unsigned>(form.height));
      const ImageView view = crop_view(
          {.left = left, .top = top, .width = form.width - left, .height = form.height - top}, 24,
          false);
      for (const ImageDecoding decoding : {ImageDecoding::kExact, ImageDecoding::kFast}) {
        ImageWorkspace workspace;
        Bytes expected(24 * 24 * 3), shown(24 * 24 * 3);
        write_view(*open_image(file, "it"), view, decoding, workspace, expected.data());
        write_view(*packed::open_record(record.encoding, record.bytes, record.size, "it"), view,
                   decoding, workspace, shown.data());
        ASSERT_EQ(shown, expected) << left << ", " << top;
      }
    }
  }
  EXPECT_GT(indexed, 60);
}

// Crops that enter the file at each of its points.
TEST(IndexedJpeg, ADamagedTableIsRefusedOrShowsOtherPixelsOfTheFile) {
  const ImageSize size{128, 64};
  const Record record = record_of(drawn(size));
  jpeg::AccessPoints points = packed::split_access_table(record.bytes).points;
  ASSERT_GE(points.points.size(), 6u);
  int refused = 0;
  for (std::size_t at = 0; at < 8 + points.points.size() * sizeof(jpeg::AccessPoint); ++at) {
    Bytes bytes = record.bytes;
    bytes[at] ^= 0x41;
    for (int top = 0; top < size.height; top += 16) {
      const ErrorRecord error = error_of([&] {
        packed::open_record(Encoding::kIndexed, bytes, size, "a/b.jpg")
            ->decode({.left = 0, .top = top, .width = size.width, .height = 16}, 8);
      });
      if (error.code == "E_NONE") continue;  // another prediction or bit
      ++refused;
      EXPECT_EQ(error.exit_code, ExitCode::kBadData) << error.what;
      EXPECT_EQ(error.what.rfind("a/b.jpg: ", 0), 0u) << error.what;
    }
  }
  EXPECT_GT(refused, 100);
}

Bytes with_points(const Bytes& file, std::uint32_t spacing, std::uint32_t points) {
  jpeg::AccessPoints made{.spacing = spacing};
  for (std::uint32_t i = 0; i < points; ++i) made.points.push_back({.at = i});
  return packed::with_access_table({.bytes = file, .points = made});
}

// Each crop would decode the file from its begin, once for every row.
TEST(IndexedJpeg, PointsThatAreFarApartAreRefused) {
  const JpegForm form{.width = 64, .height = 2048, .stored = JCS_GRAYSCALE, .across = 1, .down = 1};
  const Bytes file = jpeg_of(form);
  for (const std::uint32_t spacing : {33u, 64u, 2048u, 4096u}) {
    const Bytes record = with_points(file, spacing, (2048 + spacing - 1) / spacing);
    EXPECT_EQ(error_of([&] {
                packed::open_record(Encoding::kIndexed, record, {64, 2048}, "it")->decode_whole();
              }).what,
              "it: its access points are not those of the file");
  }
}

// A point holds three predictions.
TEST(IndexedJpeg, PointsOfAFileOfFourComponentsAreRefused) {
  const JpegForm form{.width = 64, .height = 64, .stored = JCS_CMYK, .across = 1, .down = 1};
  const Bytes record = with_points(jpeg_of(form), 8, 8);
  EXPECT_EQ(error_of([&] {
              packed::open_record(Encoding::kIndexed, record, {64, 64}, "it")->decode_whole();
            }).what,
            "it: its access points are not those of the file");
}

// Colour 4:4:4 and subsampled, grey, progressive: whatever the photos are.
TEST(IndexedJpeg, PhotosAreTheSameWholeAndInParts) {
  const fs::path folder = fs::path(SCALEMARK_TEST_DATA) / "photos";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "no photos under " << folder;
  int photos = 0, indexed = 0;
  std::uint64_t before = 0, after = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const Bytes file = read_image_file(entry.path().string());
    const Record record = record_of(file);
    ++photos;
    if (record.encoding != Encoding::kIndexed) continue;
    ++indexed;
    before += file.size();
    after += record.bytes.size();
    expect_same_region(record, file, {.width = record.size.width, .height = record.size.height}, 8);
    expect_same_parts(record, file, 3);
  }
  std::printf("%d of %d photos have access points; %.2f %% of the bytes\n", indexed, photos,
              100.0 * static_cast<double>(after) / static_cast<double>(before));
  EXPECT_GE(indexed, photos * 9 / 10);
}

}  // namespace
}  // namespace scalemark::data
