// Operations on the RGB bytes of one image, and the maps from result to source for shears, shifts
// and rotations. Each computes what torchvision.transforms.v2.functional computes for a uint8
// tensor (the bounds: docs/TRAINING.md, "Augmentation"). Pure; knows neither when an operation is
// drawn nor OpenCV.
#pragma once

#include "data/augment/opencv/opencv_plugin.h"
#include "data/images/decode.h"

namespace scalemark::data {

// --- Shears, shifts and rotations as maps from a pixel of the result to one of the source, equal
// to torchvision's affine() and rotate().

// Shears by `share` of a pixel per pixel, around the upper left corner, like torchvision's
// AutoAugment family. Positive: lower rows move left (x), columns further right move up (y).
ToSource shear_x(double share);
ToSource shear_y(double share);

// Shifts by whole pixels to the right and down.
ToSource shift(int right, int down);

// Rotates around the centre; positive: counter-clockwise.
ToSource rotation(ImageSize size, double degrees);

// --- Operations on the bytes, in place.

void adjust_brightness(const RgbView& image, double factor);  // 0: black; 1: unchanged
void adjust_saturation(const RgbView& image, double factor);  // 0: grey
void adjust_contrast(const RgbView& image, double factor);    // 0: its mean grey everywhere

// Keeps the upper `bits` of each byte, 0 to 8.
void posterize(const RgbView& image, int bits);

// Inverts bytes from `threshold` on.
void solarize(const RgbView& image, double threshold);

// Stretches each channel so that its smallest byte becomes 0 and its largest 255.
void autocontrast(const RgbView& image);

// Equalizes the histogram of each channel, as far as steps allow, by Pillow's look-up table.
void equalize(const RgbView& image);

// `blurred` is the result of OpencvApi::blur() for the image. The outermost pixels stay unchanged.
void blend_with_blurred(const RgbView& image, const RgbView& blurred, double factor);

}  // namespace scalemark::data
