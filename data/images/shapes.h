// Ten shapes as formulas: is this point inside? Pure; knows no pixels or colours.
#pragma once

#include <array>
#include <string_view>

namespace scalemark::data {

// In alphabetical order, so that a shape's place is its label in an ImageFolder tree.
inline constexpr std::array<std::string_view, 10> kShapeNames = {
    "bars",      "circle", "crescent", "cross", "frame",
    "hourglass", "ring",   "square",   "star",  "triangle"};

// Whether (x, y) lies inside shape `shape`, drawn upright and to fill the unit circle around 0.
bool inside_shape(int shape, double x, double y);

}  // namespace scalemark::data
