#include "data/packed/access_table.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/base/error.h"

namespace scalemark::data::packed {
namespace {

// As docs/DATA.md describes them.
struct TableHeader {
  std::uint32_t points = 0;
  std::uint32_t spacing = 0;
};
using jpeg::AccessPoint;
static_assert(std::is_trivially_copyable_v<AccessPoint> && sizeof(AccessPoint) == 12);

}  // namespace

std::vector<std::uint8_t> with_access_table(const IndexedJpeg& jpeg) {
  const auto& [spacing, points] = jpeg.points;
  const TableHeader header{.points = static_cast<std::uint32_t>(points.size()), .spacing = spacing};
  const std::size_t point_bytes = points.size() * sizeof(AccessPoint);
  std::vector<std::uint8_t> record(sizeof header + point_bytes + jpeg.bytes.size());
  std::memcpy(record.data(), &header, sizeof header);
  std::memcpy(record.data() + sizeof header, points.data(), point_bytes);
  std::copy(jpeg.bytes.begin(), jpeg.bytes.end(),
            record.begin() + static_cast<std::ptrdiff_t>(sizeof header + point_bytes));
  return record;
}

TableAndFile split_access_table(std::span<const std::uint8_t> record) {
  TableHeader header;
  const auto damaged = [] { return bad_data("its table of access points is damaged"); };
  if (record.size() < sizeof header) throw damaged();
  std::memcpy(&header, record.data(), sizeof header);
  record = record.subspan(sizeof header);
  if (header.points == 0 || header.points > record.size() / sizeof(AccessPoint)) throw damaged();
  TableAndFile result;
  result.points.spacing = header.spacing;
  result.points.points.resize(header.points);
  const std::size_t point_bytes = header.points * sizeof(AccessPoint);
  std::memcpy(result.points.points.data(), record.data(), point_bytes);
  result.file = record.subspan(point_bytes);
  return result;
}

}  // namespace scalemark::data::packed
