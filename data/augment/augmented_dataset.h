// A data set of images that changes what another one loads: operations, erasing, and the numbers by
// which a batch is mixed. Knows no image files; the same keys give the same samples and batches
// whatever thread, rank or worker count asks for them.
#pragma once

#include <memory>

#include "data/augment/mixing.h"
#include "data/augment/opencv/opencv_plugin.h"
#include "data/augment/policies.h"
#include "data/load/dataset.h"

namespace scalemark::data {

struct Augmentation {
  Augment augment = Augment::kBasic;
  double random_erasing = 0;  // probability
  MixingOptions mixing;
};

// Whether any of it is asked for.
bool changes_images(const Augmentation& options);

// `images` has the fields "image" u8 [h, w, 3] and "label" i64 and nothing else; of those it is
// given, crop and flip stay as they are. Each kind of choice has random numbers of its own: more
// erasing changes no operation. With mixing, fields "mixed_label" and "mixing" (mixing.h) are
// added; a batch is mixed as its first sample's key says. Returns `images` itself where nothing
// changes. Throws system_error() (71) where an operation needs OpenCV and it is not there.
std::unique_ptr<Dataset> augmented(std::unique_ptr<Dataset> images, const Augmentation& options);

// Loads libscalemark_opencv.so from the folder of libscalemark_data.so, and not before an
// augmentation needs it. Throws system_error() (71), which names the packages, when the plugin
// or OpenCV is not there.
const OpencvApi& load_opencv();

}  // namespace scalemark::data
