// Shears, shifts and rotations as maps from a pixel of the result to one of the source: what
// torchvision's affine() and rotate() compute. Pure; knows no pixels.
#pragma once

#include "data/images/decode.h"
#include "data/opencv/opencv_api.h"

namespace scalemark::data {

// By `share` of a pixel per pixel, around the upper left corner, as torchvision's AutoAugment
// family does; positive: what is lower moves left (x), what is further right moves up (y).
ToSource shear_x(double share);
ToSource shear_y(double share);

// Whole pixels to the right and down.
ToSource shift(int right, int down);

// Around the centre; positive: counter-clockwise.
ToSource rotation(ImageSize size, double degrees);

}  // namespace scalemark::data
