// Loads libscalemark_opencv.so, and not before an augmentation needs it.
#pragma once

#include "data/opencv/opencv_api.h"

namespace scalemark::data {

// From the folder of libscalemark_data.so. Throws system_error() (71), which names the packages,
// when the part or OpenCV is not there.
const OpencvApi& load_opencv();

}  // namespace scalemark::data
