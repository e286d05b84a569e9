#include "data/show/contact_sheet.h"

#include <algorithm>
#include <cstddef>

#include "data/show/small_font.h"

namespace scalemark::data {
namespace {

constexpr int kMargin = 8;
constexpr int kLargePicture = 160;  // from here on, larger letters

struct Cells {
  int width, height, scale;
};

Cells cells_of(ImageSize picture, int lines) {
  const int scale = picture.width >= kLargePicture ? 2 : 1;
  const int text = lines * (kLetterHeight + 1) * scale;
  return {picture.width + kMargin, picture.height + text + kMargin, scale};
}

std::string cut(const std::string& line, int width, int scale) {
  const auto most = static_cast<std::size_t>(std::max(1, width / (kLetterWidth * scale)));
  if (line.size() <= most) return line;
  return most > 2 ? line.substr(0, most - 2) + ".." : line.substr(0, most);
}

void paste(const Picture& picture, int left, int top, int scale, Pixels& sheet) {
  const RgbView& from = picture.pixels;
  const auto stride = static_cast<std::ptrdiff_t>(from.width) * 3;
  for (int y = 0; y < from.height; ++y) {
    std::copy_n(from.bytes + y * stride, stride, sheet.row(top + y) + 3 * left);
  }
  int line_top = top + from.height + 2 * scale;
  for (const std::string& line : picture.lines) {
    write_text(sheet, left, line_top, cut(line, from.width, scale), scale);
    line_top += (kLetterHeight + 1) * scale;
  }
}

}  // namespace

SheetSize sheet_size(std::int64_t pictures, int columns, ImageSize picture, int lines) {
  const Cells cell = cells_of(picture, lines);
  const std::int64_t across = std::min<std::int64_t>(pictures, columns);
  const std::int64_t down = (pictures + columns - 1) / columns;
  return {across * cell.width + kMargin, down * cell.height + kMargin};
}

Pixels contact_sheet(std::span<const Picture> pictures, int columns) {
  const auto n = static_cast<int>(pictures.size());
  const ImageSize picture{pictures.front().pixels.width, pictures.front().pixels.height};
  std::size_t lines = 0;
  for (const Picture& one : pictures) lines = std::max(lines, one.lines.size());
  const Cells cell = cells_of(picture, static_cast<int>(lines));
  const SheetSize size = sheet_size(n, columns, picture, static_cast<int>(lines));
  Pixels sheet(static_cast<int>(size.width), static_cast<int>(size.height));
  std::fill_n(sheet.row(0), sheet.stride() * static_cast<std::size_t>(sheet.height), 0xff);
  for (int i = 0; i < n; ++i) {
    paste(pictures[static_cast<std::size_t>(i)], kMargin + i % columns * cell.width,
          kMargin + i / columns * cell.height, cell.scale, sheet);
  }
  return sheet;
}

}  // namespace scalemark::data
