#include "data/augment/affine.h"

#include <cmath>
#include <numbers>

namespace scalemark::data {

// Pixel i covers [i, i + 1): shears are around the corner, so a pixel's middle counts.
ToSource shear_x(double share) { return {1, share, share * 0.5, 0, 1, 0}; }
ToSource shear_y(double share) { return {1, 0, 0, share, 1, share * 0.5}; }

ToSource shift(int right, int down) {
  return {1, 0, -static_cast<double>(right), 0, 1, -static_cast<double>(down)};
}

ToSource rotation(ImageSize size, double degrees) {
  const double angle = degrees * std::numbers::pi / 180;
  const double c = std::cos(angle), s = std::sin(angle);
  const double x = (size.width - 1) / 2.0, y = (size.height - 1) / 2.0;
  return {c, -s, x - c * x + s * y, s, c, y - s * x - c * y};
}

}  // namespace scalemark::data
