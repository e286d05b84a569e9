// --image-decoding fast on every form of JPEG, whole and damaged, against exact decoding; memory
// that other samples have left is poisoned.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/base/error.h"
#include "data/images/image_view.h"
#include "data/images/jpeg/scan_memory.h"
#include "tests/data/images/made_jpeg.h"
#include "tests/data/text/temporary_folder.h"

namespace scalemark::data {
namespace {

// A workspace in which all memory that another sample may have left holds `value`. One serves all
// samples, as a worker's does: most of the time would go into new pages for each.
ImageWorkspace& poisoned_workspace(std::uint8_t value, std::size_t bytes) {
  static ImageWorkspace workspace;
  workspace.decoder.scan().segment.bytes.assign(bytes, value);
  std::fill_n(workspace.planes.store.of(bytes), bytes, value);
  for (auto& middle : workspace.resize.middle) {
    middle.assign(bytes / 4, static_cast<std::int16_t>(value << 7));
  }
  return workspace;
}

Bytes shown(const Bytes& file, const ImageView& view, ImageDecoding decoding,
            std::uint8_t poisoned = 0) {
  const bool is_large = static_cast<std::int64_t>(view.box.width) * view.box.height > (1 << 17);
  ImageWorkspace& workspace = poisoned_workspace(poisoned, is_large ? 4 << 20 : 1 << 20);
  const Box& window = view.plan.window;
  Bytes pixels(3 * static_cast<std::size_t>(window.width) * static_cast<std::size_t>(window.height),
               poisoned);
  write_view(*open_image(file, "it", &workspace.decoder), view, decoding, workspace, pixels.data());
  return pixels;
}

double mean_difference(const Bytes& a, const Bytes& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return sum / static_cast<double>(a.size());
}

Box random_box(const JpegForm& form, std::mt19937& random) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const int left = below(form.width);
  const int top = below(form.height);
  return {.left = left,
          .top = top,
          .width = 1 + below(form.width - left),
          .height = 1 + below(form.height - top)};
}

TEST(FastDecoding, EveryFormOfJpegShowsWhatExactDecodingShows) {
  std::mt19937 random(5);
  for (const JpegForm& form : all_jpeg_forms()) {
    SCOPED_TRACE(text_of(form));
    const Bytes file = jpeg_of(form);
    for (int trial = 0; trial < 4; ++trial) {
      const Box box =
          trial == 0 ? Box{.width = form.width, .height = form.height} : random_box(form, random);
      ImageView view = crop_view(box, 24, trial % 2 == 1);
      view.scaled = false;  // exact decoding is exact
      const Bytes fast = shown(file, view, ImageDecoding::kFast, 0);
      ASSERT_EQ(fast, shown(file, view, ImageDecoding::kFast, 0xff)) << "bytes of another sample";
      const Bytes exact = shown(file, view, ImageDecoding::kExact);
      ASSERT_LT(mean_difference(fast, exact), 0.5);
      for (std::size_t i = 0; i < fast.size(); ++i) ASSERT_NEAR(fast[i], exact[i], 3);
      view.scaled = true;
      ASSERT_EQ(shown(file, view, ImageDecoding::kFast, 0),
                shown(file, view, ImageDecoding::kFast, 0xff));
    }
  }
}

// The file is refused whatever a crop needs of it. A new end marker hides the cut from crops above
// it; arithmetic decoding, which continues with zeros behind an end, need not notice it at all.
TEST(FastDecoding, ACutFileIsRefused) {
  for (const bool progressive : {false, true}) {
    for (const bool arithmetic : {false, true}) {
      const Bytes whole = jpeg_of(
          {.width = 331, .height = 257, .progressive = progressive, .arithmetic = arithmetic});
      for (int eighth = 1; eighth < 8; ++eighth) {
        Bytes cut(whole.begin(), whole.begin() + std::ssize(whole) * eighth / 8);
        const auto error = [&](const Box& box, ImageDecoding decoding) {
          return error_of([&] { shown(cut, crop_view(box, 24, false), decoding); });
        };
        const auto refused = error({.width = 40, .height = 9}, ImageDecoding::kFast);
        EXPECT_EQ(refused.code, "E_BAD_SAMPLE");
        EXPECT_EQ(refused.exit_code, ExitCode::kBadData);
        cut.insert(cut.end(), {0xff, 0xd9});
        const Box all{.width = 331, .height = 257};
        const auto hidden = error(all, ImageDecoding::kFast);
        EXPECT_EQ(hidden.code, error(all, ImageDecoding::kExact).code);
        EXPECT_TRUE(arithmetic || hidden.code == "E_BAD_SAMPLE") << eighth;
      }
    }
  }
}

// Flipped bytes anywhere: refused, or pixels of this file alone.
TEST(FastDecoding, DamagedFilesShowNothingOfOthers) {
  std::mt19937 random(6);
  const std::vector<Bytes> files = {
      jpeg_of({.width = 97, .height = 61}),
      jpeg_of({.width = 97, .height = 61, .progressive = true}),
      jpeg_of({.width = 97, .height = 61, .across = 2, .down = 1, .arithmetic = true})};
  int read = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    Bytes file = files[static_cast<std::size_t>(trial % 3)];
    for (int i = 0; i < 1 + trial % 3; ++i) {
      // Half of them in the headers, where sizes and tables are.
      const std::size_t end =
          trial % 2 == 0 ? file.size() : std::min<std::size_t>(650, file.size());
      file[random() % end] = static_cast<std::uint8_t>(random());
    }
    const auto show = [&](std::uint8_t poisoned) {
      const auto image = open_image(file, "it");
      const auto [width, height] = image->size();
      if (static_cast<std::int64_t>(width) * height > 1 << 22) return Bytes{};
      return shown(file, crop_view({.width = width, .height = height}, 24, false),
                   ImageDecoding::kFast, poisoned);
    };
    try {
      const Bytes pixels = show(0);
      ASSERT_EQ(pixels, show(0xff)) << trial;
      ++read;
    } catch (const Error& error) {
      ASSERT_EQ(error.record().code, "E_BAD_SAMPLE") << trial;
    }
  }
  EXPECT_GT(read, 100);
}

}  // namespace
}  // namespace scalemark::data
