// Operations on the RGB bytes of one image, and the maps from its result to its source by which it
// is sheared, shifted and rotated: each is what torchvision.transforms.v2.functional computes for a
// uint8 tensor (the bounds: docs/TRAINING.md, "Augmentation"). Pure; knows nothing of when an
// operation is drawn, nor of OpenCV.
#pragma once

#include "data/augment/opencv/opencv_plugin.h"
#include "data/images/decode.h"

namespace scalemark::data {

// Shears, shifts and rotations as maps from a pixel of the result to one of the source: what
// torchvision's affine() and rotate() compute.

// By `share` of a pixel per pixel, around the upper left corner, as torchvision's AutoAugment
// family does; positive: what is lower moves left (x), what is further right moves up (y).
ToSource shear_x(double share);
ToSource shear_y(double share);

// Whole pixels to the right and down.
ToSource shift(int right, int down);

// Around the centre; positive: counter-clockwise.
ToSource rotation(ImageSize size, double degrees);

// Operations on the bytes, in place.

void adjust_brightness(const RgbView& image, double factor);  // 0: black, 1: as it is
void adjust_saturation(const RgbView& image, double factor);  // 0: grey
void adjust_contrast(const RgbView& image, double factor);    // 0: its mean grey everywhere

// Keeps the upper `bits` of each byte, 0 to 8.
void posterize(const RgbView& image, int bits);

// Inverts bytes from `threshold` on.
void solarize(const RgbView& image, double threshold);

// Per channel: the smallest byte becomes 0 and the largest 255.
void autocontrast(const RgbView& image);

// Per channel, by Pillow's look-up table: histograms as even as steps allow.
void equalize(const RgbView& image);

// `blurred`: what OpencvApi::blur() makes of the image. The outermost pixels stay.
void blend_with_blurred(const RgbView& image, const RgbView& blurred, double factor);

}  // namespace scalemark::data
