// Which operations an image undergoes and how strongly: torchvision's TrivialAugmentWide,
// RandAugment and ColorJitter with their defaults. Pure; the randomness is a parameter.
#pragma once

#include <vector>

#include "core/base/words.h"
#include "data/augment/opencv/opencv_plugin.h"
#include "data/images/decode.h"
#include "data/load/dataset.h"

namespace scalemark::data {

enum class Augment {
  kBasic,         // crop and flip only
  kTrivial,       // one operation, of any strength
  kRandAugment,   // two operations of strength 9 of 30
  kColourJitter,  // brightness, contrast, saturation (each 0.6 to 1.4) and hue (-0.1 to 0.1 turns)
};

constexpr auto words_of(Augment) {
  return std::to_array<Word<Augment>>({{Augment::kBasic, "basic"},
                                       {Augment::kTrivial, "trivial"},
                                       {Augment::kRandAugment, "randaugment"},
                                       {Augment::kColourJitter, "colour-jitter"}});
}

enum class Operation {
  kIdentity,
  kShearX,
  kShearY,
  kTranslateX,
  kTranslateY,
  kRotate,
  kBrightness,
  kColour,
  kContrast,
  kSharpness,
  kPosterize,
  kSolarize,
  kAutocontrast,
  kEqualize,
  kHue,  // drawn by colour-jitter only
};
constexpr auto words_of(Operation) {
  return std::to_array<Word<Operation>>({{Operation::kIdentity, "identity"},
                                         {Operation::kShearX, "shear-x"},
                                         {Operation::kShearY, "shear-y"},
                                         {Operation::kTranslateX, "translate-x"},
                                         {Operation::kTranslateY, "translate-y"},
                                         {Operation::kRotate, "rotate"},
                                         {Operation::kBrightness, "brightness"},
                                         {Operation::kColour, "colour"},
                                         {Operation::kContrast, "contrast"},
                                         {Operation::kSharpness, "sharpness"},
                                         {Operation::kPosterize, "posterize"},
                                         {Operation::kSolarize, "solarize"},
                                         {Operation::kAutocontrast, "autocontrast"},
                                         {Operation::kEqualize, "equalize"},
                                         {Operation::kHue, "hue"}});
}

struct Change {
  Operation operation = Operation::kIdentity;
  // The units are those of torchvision's AutoAugment family: pixels per pixel (shear), pixels
  // (translate), degrees (rotate), factor - 1 (brightness to sharpness), bits (posterize),
  // threshold / 255 (solarize); for hue: turns.
  double magnitude = 0;
};

// Returns the changes in the order in which they are made; empty for kBasic.
std::vector<Change> draw_changes(Augment augment, ImageSize size, SampleRandom& random);

// Changes the image in place.
void apply(const Change& change, const RgbView& image, const OpencvApi& opencv);

}  // namespace scalemark::data
