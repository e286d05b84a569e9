#include "data/packed/row_table.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "core/base/error.h"

namespace scalemark::data::packed {
namespace {

struct Counts {
  std::uint32_t rows = 0;
  std::uint32_t pixels = 0;
  std::uint32_t height_at = 0;
};

}  // namespace

std::vector<std::uint8_t> with_row_table(const RowJpeg& jpeg) {
  const Counts counts{.rows = static_cast<std::uint32_t>(jpeg.rows.count()),
                      .pixels = jpeg.rows.pixels,
                      .height_at = jpeg.rows.height_at};
  const std::size_t begins = jpeg.rows.begin.size() * sizeof(std::uint32_t);
  std::vector<std::uint8_t> record(sizeof counts + begins + jpeg.bytes.size());
  std::memcpy(record.data(), &counts, sizeof counts);
  std::memcpy(record.data() + sizeof counts, jpeg.rows.begin.data(), begins);
  std::copy(jpeg.bytes.begin(), jpeg.bytes.end(),
            record.begin() + static_cast<std::ptrdiff_t>(sizeof counts + begins));
  return record;
}

TableAndFile split_row_table(std::span<std::uint8_t> record) {
  const auto damaged = [] { return bad_data("its table of rows is damaged"); };
  Counts counts;
  if (record.size() < sizeof counts) throw damaged();
  std::memcpy(&counts, record.data(), sizeof counts);
  record = record.subspan(sizeof counts);
  if (counts.rows == 0 || counts.rows >= record.size() / sizeof(std::uint32_t)) throw damaged();
  TableAndFile result{.rows = {.pixels = counts.pixels, .height_at = counts.height_at}};
  std::vector<std::uint32_t>& begin = result.rows.begin;
  begin.resize(std::size_t{counts.rows} + 1);
  std::memcpy(begin.data(), record.data(), begin.size() * sizeof(std::uint32_t));
  result.file = record.subspan(begin.size() * sizeof(std::uint32_t));
  const bool up =
      std::adjacent_find(begin.begin(), begin.end(), std::greater_equal<>()) == begin.end();
  if (!up || begin.back() != result.file.size() || counts.pixels == 0 ||
      std::uint64_t{counts.height_at} + 2 > begin.front()) {
    throw damaged();
  }
  return result;
}

}  // namespace scalemark::data::packed
