#include "data/images/draw.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "data/images/shapes.h"

namespace scalemark::data {
namespace {

using Colour = std::array<double, 3>;

Colour random_colour(SampleRandom& random) {
  return {random.uniform(20, 235), random.uniform(20, 235), random.uniform(20, 235)};
}

double brightness(const Colour& c) { return 0.299 * c[0] + 0.587 * c[1] + 0.114 * c[2]; }

// Different enough in brightness from both to be seen in any colour.
Colour contrasting_colour(const Colour& a, const Colour& b, SampleRandom& random) {
  constexpr double kLeastContrast = 60;
  while (true) {
    const Colour colour = random_colour(random);
    if (std::abs(brightness(colour) - brightness(a)) >= kLeastContrast &&
        std::abs(brightness(colour) - brightness(b)) >= kLeastContrast) {
      return colour;
    }
  }
}

// Two background colours that allow a contrasting third: not one dark and one bright.
std::array<Colour, 2> background_colours(SampleRandom& random) {
  constexpr double kMostContrast = 60;
  const Colour first = random_colour(random);
  while (true) {
    const Colour second = random_colour(random);
    const double contrast = std::abs(brightness(second) - brightness(first));
    const double middle = (brightness(second) + brightness(first)) / 2;
    if (contrast <= kMostContrast && (middle < 110 || middle > 145)) return {first, second};
  }
}

struct Placement {
  double x, y, radius, cosine, sine;
};

// Inside the image, and mostly inside its central square, which is what evaluation looks at.
Placement random_placement(ImageSize size, SampleRandom& random) {
  const double shorter = std::min(size.width, size.height);
  const double radius = shorter * random.uniform(0.27, 0.45);
  const double angle = random.uniform(0, 2 * std::numbers::pi);
  const auto place = [&](int side) {
    const double room = std::min(side / 2.0 - radius, 0.44 * shorter - 0.6 * radius);
    return side / 2.0 + random.uniform(-room, room);
  };
  const double x = place(size.width);
  return {.x = x,
          .y = place(size.height),
          .radius = radius,
          .cosine = std::cos(angle),
          .sine = std::sin(angle)};
}

// How much of pixel (x, y) the shape covers, from four points in it.
double coverage(int shape, const Placement& at, int x, int y) {
  const double dx = x + 0.5 - at.x;
  const double dy = y + 0.5 - at.y;
  if (dx * dx + dy * dy > (at.radius + 1) * (at.radius + 1)) return 0;
  int inside = 0;
  for (const double sx : {-0.25, 0.25}) {
    for (const double sy : {-0.25, 0.25}) {
      const double u = (dx + sx) / at.radius;
      const double v = (dy + sy) / at.radius;
      inside += inside_shape(shape, u * at.cosine + v * at.sine, v * at.cosine - u * at.sine);
    }
  }
  return inside / 4.0;
}

}  // namespace

ImageSize random_photo_size(SampleRandom& random) {
  const auto shorter = static_cast<int>(300 + random.below(151));
  const double ratio = random.uniform(1.0, 16.0 / 9.0);
  const auto longer = static_cast<int>(shorter * ratio);
  return random.below(4) == 0 ? ImageSize{shorter, longer} : ImageSize{longer, shorter};
}

Pixels draw_shape(int shape, ImageSize size, SampleRandom& random) {
  const auto [from, to] = background_colours(random);
  const Colour colour = contrasting_colour(from, to, random);
  const Placement at = random_placement(size, random);
  const double direction = random.uniform(0, 2 * std::numbers::pi);
  const double across = std::cos(direction) / size.width;
  const double down = std::sin(direction) / size.height;
  const double noise = random.uniform(0, 16);
  Pixels pixels(size.width, size.height);
  for (int y = 0; y < size.height; ++y) {
    std::uint8_t* out = pixels.row(y);
    for (int x = 0; x < size.width; ++x) {
      const double cover = coverage(shape, at, x, y);
      const double blend =
          0.5 + 0.5 * ((x - size.width / 2.0) * across + (y - size.height / 2.0) * down);
      const std::uint64_t bits = random.next();
      for (std::size_t c = 0; c < 3; ++c) {
        const double grain = static_cast<double>((bits >> (16 * c)) & 0xffff) / 65536.0 - 0.5;
        const double ground = from[c] + (to[c] - from[c]) * blend;
        const double value = ground + (colour[c] - ground) * cover + grain * noise;
        *out++ = static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0));
      }
    }
  }
  return pixels;
}

}  // namespace scalemark::data
