#include "data/augment/opencv/opencv_plugin.h"

#include <opencv2/core.hpp>
#include <opencv2/core/utility.hpp>
#include <opencv2/imgproc.hpp>
#include <string>

#include "core/base/plugin.h"

namespace scalemark::data {
namespace {

// The matrix shares the view's bytes.
cv::Mat matrix_of(const RgbView& view) { return {view.height, view.width, CV_8UC3, view.bytes}; }

void warp_nearest(const RgbView& from, const RgbView& to, const ToSource& to_source) {
  const cv::Matx23d matrix(to_source.data());
  cv::Mat result = matrix_of(to);
  cv::warpAffine(matrix_of(from), result, matrix, result.size(),
                 cv::INTER_NEAREST | cv::WARP_INVERSE_MAP, cv::BORDER_CONSTANT, cv::Scalar::all(0));
}

void blur(const RgbView& from, const RgbView& to) {
  constexpr float kEdge = 1.0F / 13, kMiddle = 5.0F / 13;
  const cv::Matx33f kernel(kEdge, kEdge, kEdge, kEdge, kMiddle, kEdge, kEdge, kEdge, kEdge);
  cv::Mat result = matrix_of(to);
  cv::filter2D(matrix_of(from), result, CV_8U, kernel, {-1, -1}, 0, cv::BORDER_REPLICATE);
}

// The result is below 360, which OpenCV takes for the end of the circle and not for its beginning.
float wrapped(float degrees) {
  const float below = degrees >= 360 ? degrees - 360 : degrees;
  return below < 0 ? below + 360 : below;
}

// Computes in float, since OpenCV's HSV of bytes has only 180 hues. The result is rounded as in
// torchvision: [0, 1] times 255.999, truncated.
void shift_hue(const RgbView& pixels, double turns) {
  constexpr float kLevels = 255.999F;
  cv::Mat bytes = matrix_of(pixels);
  cv::Mat3f image;
  bytes.convertTo(image, CV_32F, 1.0 / 255);
  cv::cvtColor(image, image, cv::COLOR_RGB2HSV);
  const auto shift = static_cast<float>(turns * 360);
  for (cv::Vec3f& pixel : image) pixel[0] = wrapped(pixel[0] + shift);
  cv::cvtColor(image, image, cv::COLOR_HSV2RGB);
  auto byte = pixels.bytes;
  for (const cv::Vec3f& pixel : image) {
    for (int c = 0; c < 3; ++c) *byte++ = static_cast<std::uint8_t>(pixel[c] * kLevels);
  }
}

}  // namespace

}  // namespace scalemark::data

// OpenCV's own threads are turned off before its first use, since the loader's workers are the
// threads.
const scalemark::data::OpencvApi* scalemark_opencv_api() {
  namespace data = scalemark::data;
  static const std::string commit = scalemark::program_version().git_commit;
  static const data::OpencvApi api = [] {
    cv::setNumThreads(0);
    return data::OpencvApi{.stamp = {.abi = data::kOpencvAbi, .git_commit = commit.c_str()},
                           .warp_nearest = data::warp_nearest,
                           .blur = data::blur,
                           .shift_hue = data::shift_hue};
  }();
  return &api;
}
