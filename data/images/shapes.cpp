#include "data/images/shapes.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/error.h"

namespace scalemark::data {
namespace {

constexpr double kHalfDiagonal = 1 / std::numbers::sqrt2;  // half the side of the inscribed square

// Not std::hypot: its last bit is the C library's, and shapes are to be the same everywhere.
double radius(double x, double y) { return std::sqrt(x * x + y * y); }

double square_radius(double x, double y) { return std::max(std::abs(x), std::abs(y)); }

bool crescent(double x, double y) { return radius(x, y) <= 1 && radius(x - 0.45, y) > 0.8; }

bool cross(double x, double y) {
  const double longer = square_radius(x, y);
  const double shorter = std::min(std::abs(x), std::abs(y));
  return longer <= 0.95 && shorter <= 0.28;
}

bool bars(double x, double y) {
  return square_radius(x, y) <= kHalfDiagonal && std::fmod(x + kHalfDiagonal, 0.566) <= 0.283;
}

// Five spikes: the edge runs straight from radius 1 to 0.4 in each tenth of a turn.
bool star(double x, double y) {
  constexpr double kTenth = std::numbers::pi / 5;
  constexpr double kInner = 0.4;
  const double turn = std::fmod(std::atan2(y, x) + 2 * std::numbers::pi, 2 * kTenth);
  const double angle = std::min(turn, 2 * kTenth - turn);  // from the nearest spike
  const double edge =
      kInner * std::sin(kTenth) / (kInner * std::sin(kTenth - angle) + std::sin(angle));
  return radius(x, y) <= edge;
}

bool triangle(double x, double y) { return y <= 0.5 && std::numbers::sqrt3 * std::abs(x) - y <= 1; }

}  // namespace

bool inside_shape(int shape, double x, double y) {
  switch (shape) {
    case 0:
      return bars(x, y);
    case 1:
      return radius(x, y) <= 0.9;
    case 2:
      return crescent(x, y);
    case 3:
      return cross(x, y);
    case 4:
      return square_radius(x, y) <= kHalfDiagonal && square_radius(x, y) > 0.42;
    case 5:
      return std::abs(y) <= 0.8 && std::abs(x) <= std::abs(y) * 0.75;
    case 6:
      return radius(x, y) <= 1 && radius(x, y) > 0.6;
    case 7:
      return square_radius(x, y) <= kHalfDiagonal;
    case 8:
      return star(x, y);
    case 9:
      return triangle(x, y);
    default:
      throw bug("there is no such shape");
  }
}

}  // namespace scalemark::data
