// Which part of an image a sample shows: torchvision's RandomResizedCrop + flip and Resize +
// CenterCrop, as boxes. Pure; knows no pixels.
#pragma once

#include "data/images/decode.h"
#include "data/images/resize.h"
#include "data/sample_random.h"

namespace scalemark::data {

enum class ImageTransform {
  kTrain,     // random resized crop, random flip
  kEvaluate,  // shorter side to 256/224 of the size, centre crop
  kNone,      // the whole image stretched to the size; for tests of determinism and equality
};

// torchvision's RandomResizedCrop.get_params with its defaults (scale 0.08-1, ratio 3/4-4/3, ten
// tries, then the central crop).
Box random_crop_box(ImageSize image, SampleRandom& random);

// Size after torchvision's Resize(shorter side).
ImageSize resized_by_shorter_side(ImageSize image, int shorter);

// Resize to round(size * 256 / 224), of which the central size x size pixels.
ResizePlan evaluation_plan(ImageSize image, int size);

// The smallest of the scales 1, 2, 4 eighths at which `box` still has at least `target` pixels in
// both directions, else 8. (libjpeg-turbo has no vector code for the scales between: the whole
// costs 5 % more with them.)
int scale_that_covers(const Box& box, ImageSize target);

}  // namespace scalemark::data
