// A data set of images that changes what another one loads: operations, erasing, and the numbers by
// which a batch is mixed. Knows no image files. The same keys give the same samples and batches for
// any thread, rank or worker count.
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

// Whether any change is asked for.
bool changes_images(const Augmentation& options);

// Returns `images` with the changes, or `images` itself where nothing changes. `images` must have
// exactly the fields "image" u8 [h, w, 3] and "label" i64; its crop and flip stay unchanged. Each
// kind of choice has random numbers of its own, so that more erasing changes no operation. With
// mixing, fields "mixed_label" and "mixing" (mixing.h) are added; the key of a batch's first sample
// decides how the batch is mixed. Throws system_error() (71) where an operation needs OpenCV and it
// is missing.
std::unique_ptr<Dataset> augmented(std::unique_ptr<Dataset> images, const Augmentation& options);

// Loads libscalemark_opencv.so from the folder of libscalemark_data.so; called only when an
// augmentation needs it. Throws system_error() (71), which names the packages, when the plugin or
// OpenCV is missing.
const OpencvApi& load_opencv();

}  // namespace scalemark::data
