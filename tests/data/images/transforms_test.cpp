#include <gtest/gtest.h>

#include <vector>

#include "core/base/error.h"
#include "data/images/image_view.h"

namespace scalemark::data {
namespace {

TEST(Transforms, ShorterSideAsInTorchvision) {
  const ImageSize wide = resized_by_shorter_side({500, 375}, 256);
  EXPECT_EQ(wide.width, 341);
  EXPECT_EQ(wide.height, 256);
  const ImageSize tall = resized_by_shorter_side({100, 333}, 73);
  EXPECT_EQ(tall.width, 73);
  EXPECT_EQ(tall.height, 243);
}

TEST(Transforms, EvaluationTakesTheCentre) {
  const ResizePlan plan = evaluation_plan({500, 375}, 224);
  EXPECT_EQ(plan.window.left, 58);  // round half to even of 58.5
  EXPECT_EQ(plan.window.top, 16);
  EXPECT_EQ(evaluation_plan({64, 64}, 64).full.width, 73);
}

TEST(Transforms, CropsLieInsideTheImage) {
  for (const ImageSize size : {ImageSize{500, 375}, {1, 1}, {2, 900}, {900, 2}}) {
    for (int i = 0; i < 500; ++i) {
      SampleRandom random(SampleKey{.seed = 1, .epoch = 2, .index = i});
      const Box box = random_crop_box(size, random);
      EXPECT_GE(box.left, 0);
      EXPECT_GE(box.top, 0);
      EXPECT_GE(box.width, 1);
      EXPECT_GE(box.height, 1);
      EXPECT_LE(box.left + box.width, size.width);
      EXPECT_LE(box.top + box.height, size.height);
    }
  }
}

TEST(Transforms, TheCropFollowsTheKey) {
  const auto box = [](SampleKey key) {
    SampleRandom random(key);
    return random_crop_box({500, 375}, random);
  };
  const auto same = [](const Box& a, const Box& b) {
    return a.left == b.left && a.top == b.top && a.width == b.width && a.height == b.height;
  };
  EXPECT_TRUE(same(box({1, 2, 3}), box({1, 2, 3})));
  EXPECT_FALSE(same(box({1, 2, 3}), box({1, 2, 4})));
  EXPECT_FALSE(same(box({1, 2, 3}), box({1, 3, 3})));
  EXPECT_FALSE(same(box({1, 2, 3}), box({2, 2, 3})));
}

TEST(Transforms, ScaledDecodingStillCoversTheTarget) {
  EXPECT_EQ(scale_that_covers({0, 0, 448, 448}, {224, 224}), 4);
  EXPECT_EQ(scale_that_covers({0, 0, 447, 900}, {224, 224}), 8);
  EXPECT_EQ(scale_that_covers({0, 0, 1800, 1800}, {224, 224}), 1);
  EXPECT_EQ(scale_that_covers({0, 0, 10, 10}, {224, 224}), 8);
}

Pixels ramp(int width, int height) {
  Pixels pixels(width, height);
  for (int i = 0; i < width * height * 3; ++i) pixels.bytes[i] = static_cast<std::uint8_t>(i * 31);
  return pixels;
}

TEST(Resize, TheSameSizeIsACopyAndFlipMirrorsIt) {
  const Pixels source = ramp(7, 5);
  ResizePlan plan{.box = {0, 0, 7, 5}, .full = {7, 5}, .window = {0, 0, 7, 5}};
  std::vector<std::uint8_t> target(7 * 5 * 3);
  resize(source, plan, target.data());
  EXPECT_TRUE(std::equal(target.begin(), target.end(), source.bytes.get()));
  plan.flip = true;
  resize(source, plan, target.data());
  for (int x = 0; x < 7; ++x) EXPECT_EQ(target[3 * x + 1], source.row(0)[3 * (6 - x) + 1]);
}

TEST(Resize, HalvingAConstantKeepsItAndAWindowIsPartOfTheWhole) {
  Pixels source(600, 40);
  std::fill_n(source.bytes.get(), 600 * 40 * 3, std::uint8_t{255});
  std::vector<std::uint8_t> constant(7 * 3 * 3);
  resize(source, {.box = {0, 0, 600, 40}, .full = {7, 3}, .window = {0, 0, 7, 3}}, constant.data());
  for (const std::uint8_t v : constant) EXPECT_EQ(v, 255);

  const Pixels image = ramp(50, 30);
  std::vector<std::uint8_t> whole(20 * 11 * 3);
  std::vector<std::uint8_t> part(6 * 5 * 3);
  resize(image, {.box = {0, 0, 50, 30}, .full = {20, 11}, .window = {0, 0, 20, 11}}, whole.data());
  resize(image, {.box = {0, 0, 50, 30}, .full = {20, 11}, .window = {9, 3, 6, 5}}, part.data());
  for (int y = 0; y < 5; ++y) {
    for (int i = 0; i < 18; ++i) EXPECT_EQ(part[y * 18 + i], whole[(y + 3) * 60 + 27 + i]);
  }
}

TEST(Resize, RefusesABoxOutside) {
  std::vector<std::uint8_t> target(12);
  EXPECT_THROW(resize(ramp(4, 4), {.box = {0, 0, 5, 4}, .full = {2, 2}, .window = {0, 0, 2, 2}},
                      target.data()),
               Error);
}

}  // namespace
}  // namespace scalemark::data
