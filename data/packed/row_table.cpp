#include "data/packed/row_table.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/base/error.h"

namespace scalemark::data::packed {
namespace {

// As docs/DATA.md describes them.
static_assert(std::is_trivially_copyable_v<JpegRowCounts> && sizeof(JpegRowCounts) == 216);
static_assert(std::is_trivially_copyable_v<JpegRowStart> && sizeof(JpegRowStart) == 12);

bool fits(const JpegRows& rows, std::size_t file_bytes) {
  const JpegRowCounts& counts = rows.counts;
  const auto before = [](const JpegRowStart& a, const JpegRowStart& b) { return a.at < b.at; };
  const auto odd = [](const JpegRowStart& start) { return start.bit > 7; };
  return counts.pixels > 0 && counts.components > 0 && counts.components <= kMostJpegComponents &&
         counts.mcus > 0 && counts.mcus < 65536 &&
         std::uint64_t{counts.height_at} + 2 <= counts.data_at &&
         rows.starts.front().at == counts.data_at && rows.starts.back().at < file_bytes &&
         std::is_sorted(rows.starts.begin(), rows.starts.end(), before) &&
         std::none_of(rows.starts.begin(), rows.starts.end(), odd) && can_begin_anywhere(rows);
}

}  // namespace

std::vector<std::uint8_t> with_row_table(const RowJpeg& jpeg) {
  const auto& [counts, starts] = jpeg.rows;
  const std::size_t start_bytes = starts.size() * sizeof(JpegRowStart);
  std::vector<std::uint8_t> record(sizeof counts + start_bytes + jpeg.bytes.size());
  std::memcpy(record.data(), &counts, sizeof counts);
  std::memcpy(record.data() + sizeof counts, starts.data(), start_bytes);
  std::copy(jpeg.bytes.begin(), jpeg.bytes.end(),
            record.begin() + static_cast<std::ptrdiff_t>(sizeof counts + start_bytes));
  return record;
}

TableAndFile split_row_table(std::span<const std::uint8_t> record) {
  const auto damaged = [] { return bad_data("its table of rows is damaged"); };
  TableAndFile result;
  auto& [counts, starts] = result.rows;
  if (record.size() < sizeof counts) throw damaged();
  std::memcpy(&counts, record.data(), sizeof counts);
  record = record.subspan(sizeof counts);
  if (counts.rows == 0 || counts.rows >= record.size() / sizeof(JpegRowStart)) throw damaged();
  starts.resize(std::size_t{counts.rows} + 1);
  const std::size_t start_bytes = starts.size() * sizeof(JpegRowStart);
  std::memcpy(starts.data(), record.data(), start_bytes);
  result.file = record.subspan(start_bytes);
  if (!fits(result.rows, result.file.size())) throw damaged();
  return result;
}

}  // namespace scalemark::data::packed
