// Places in a JPEG scan at which decoding can begin, so that a crop does not wait for what stands
// before it. Plain data; knows nothing of libjpeg or of files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace scalemark::data::jpeg {

inline constexpr std::size_t kMostIndexedComponents = 3;

struct AccessPoint {
  std::uint32_t at = 0;   // byte of the scan's data, counted with the zeros behind 0xff
  std::uint16_t bit = 0;  // of that byte, from its highest
  std::int16_t dc[kMostIndexedComponents] = {};  // predictions
};

struct AccessPoints {
  std::uint32_t spacing = 0;        // MCUs
  std::vector<AccessPoint> points;  // of MCU 0, spacing, 2 spacing, ...
};

}  // namespace scalemark::data::jpeg
