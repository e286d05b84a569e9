// Pictures of one size side by side, each with lines of text below it. Pure; knows no files and no
// data sets.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/images/decode.h"
#include "data/images/rgb_view.h"

namespace scalemark::data {

struct Picture {
  RgbView pixels;
  std::vector<std::string> lines;  // too long ones are cut, and end in ".."
};

struct SheetSize {
  std::int64_t width = 0;
  std::int64_t height = 0;
};

// Of a sheet of so many pictures, at least one, with so many lines below each.
SheetSize sheet_size(std::int64_t pictures, int columns, ImageSize picture, int lines);

// Row by row, at least one picture; `columns` >= 1.
Pixels contact_sheet(std::span<const Picture> pictures, int columns);

}  // namespace scalemark::data
