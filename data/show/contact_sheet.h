// Pictures of one size side by side, each with lines of text below it. Pure; knows no files and no
// data sets.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "data/images/decode.h"
#include "data/opencv/opencv_api.h"

namespace scalemark::data {

struct Picture {
  RgbView pixels;
  std::vector<std::string> lines;  // too long ones are cut, and end in ".."
};

// Row by row, at least one picture; `columns` >= 1.
Pixels contact_sheet(std::span<const Picture> pictures, int columns);

}  // namespace scalemark::data
