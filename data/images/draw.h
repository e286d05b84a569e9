// One picture of one shape. Pure: the same shape, size and random numbers give the same pixels.
#pragma once

#include "data/images/decode.h"
#include "data/sample_random.h"

namespace scalemark::data {

// A shape in one colour, 54-90 % of the shorter side across, turned and placed at random, on a
// background that runs from one colour to another, with noise. Shape and background differ clearly
// in brightness.
Pixels draw_shape(int shape, ImageSize size, SampleRandom& random);

// Sizes like 500 x 375: shorter side 300-450, ratio 3/4 to 16/9, a quarter of them upright.
ImageSize random_photo_size(SampleRandom& random);

}  // namespace scalemark::data
