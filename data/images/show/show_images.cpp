#include "data/images/show/show_images.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/number_words.h"
#include "data/images/codecs.h"
#include "data/images/image_folder.h"
#include "data/load/loader.h"
#include "data/load/sampler.h"
#include "data/packed/packed_images.h"

namespace scalemark::data {
namespace {

// The letters from ' ' to '~'. Each has five columns, whose lowest bit is on top.
using Letter = std::array<std::uint8_t, 5>;
constexpr Letter kLetters[] = {
    {0x00, 0x00, 0x00, 0x00, 0x00}, {0x00, 0x00, 0x5f, 0x00, 0x00}, {0x00, 0x07, 0x00, 0x07, 0x00},
    {0x14, 0x7f, 0x14, 0x7f, 0x14}, {0x24, 0x2a, 0x7f, 0x2a, 0x12}, {0x23, 0x13, 0x08, 0x64, 0x62},
    {0x36, 0x49, 0x55, 0x22, 0x50}, {0x00, 0x00, 0x07, 0x00, 0x00}, {0x00, 0x1c, 0x22, 0x41, 0x00},
    {0x00, 0x41, 0x22, 0x1c, 0x00}, {0x14, 0x08, 0x3e, 0x08, 0x14}, {0x08, 0x08, 0x3e, 0x08, 0x08},
    {0x00, 0x50, 0x30, 0x00, 0x00}, {0x08, 0x08, 0x08, 0x08, 0x08}, {0x00, 0x60, 0x60, 0x00, 0x00},
    {0x20, 0x10, 0x08, 0x04, 0x02}, {0x3e, 0x51, 0x49, 0x45, 0x3e}, {0x00, 0x42, 0x7f, 0x40, 0x00},
    {0x42, 0x61, 0x51, 0x49, 0x46}, {0x21, 0x41, 0x45, 0x4b, 0x31}, {0x18, 0x14, 0x12, 0x7f, 0x10},
    {0x27, 0x45, 0x45, 0x45, 0x39}, {0x3c, 0x4a, 0x49, 0x49, 0x30}, {0x01, 0x71, 0x09, 0x05, 0x03},
    {0x36, 0x49, 0x49, 0x49, 0x36}, {0x06, 0x49, 0x49, 0x29, 0x1e}, {0x00, 0x36, 0x36, 0x00, 0x00},
    {0x00, 0x56, 0x36, 0x00, 0x00}, {0x08, 0x14, 0x22, 0x41, 0x00}, {0x14, 0x14, 0x14, 0x14, 0x14},
    {0x00, 0x41, 0x22, 0x14, 0x08}, {0x02, 0x01, 0x51, 0x09, 0x06}, {0x32, 0x49, 0x79, 0x41, 0x3e},
    {0x7e, 0x11, 0x11, 0x11, 0x7e}, {0x7f, 0x49, 0x49, 0x49, 0x36}, {0x3e, 0x41, 0x41, 0x41, 0x22},
    {0x7f, 0x41, 0x41, 0x22, 0x1c}, {0x7f, 0x49, 0x49, 0x49, 0x41}, {0x7f, 0x09, 0x09, 0x09, 0x01},
    {0x3e, 0x41, 0x49, 0x49, 0x7a}, {0x7f, 0x08, 0x08, 0x08, 0x7f}, {0x00, 0x41, 0x7f, 0x41, 0x00},
    {0x20, 0x40, 0x41, 0x3f, 0x01}, {0x7f, 0x08, 0x14, 0x22, 0x41}, {0x7f, 0x40, 0x40, 0x40, 0x40},
    {0x7f, 0x02, 0x0c, 0x02, 0x7f}, {0x7f, 0x04, 0x08, 0x10, 0x7f}, {0x3e, 0x41, 0x41, 0x41, 0x3e},
    {0x7f, 0x09, 0x09, 0x09, 0x06}, {0x3e, 0x41, 0x51, 0x21, 0x5e}, {0x7f, 0x09, 0x19, 0x29, 0x46},
    {0x46, 0x49, 0x49, 0x49, 0x31}, {0x01, 0x01, 0x7f, 0x01, 0x01}, {0x3f, 0x40, 0x40, 0x40, 0x3f},
    {0x1f, 0x20, 0x40, 0x20, 0x1f}, {0x3f, 0x40, 0x38, 0x40, 0x3f}, {0x63, 0x14, 0x08, 0x14, 0x63},
    {0x07, 0x08, 0x70, 0x08, 0x07}, {0x61, 0x51, 0x49, 0x45, 0x43}, {0x00, 0x7f, 0x41, 0x41, 0x00},
    {0x02, 0x04, 0x08, 0x10, 0x20}, {0x00, 0x41, 0x41, 0x7f, 0x00}, {0x04, 0x02, 0x01, 0x02, 0x04},
    {0x40, 0x40, 0x40, 0x40, 0x40}, {0x00, 0x01, 0x02, 0x04, 0x00}, {0x20, 0x54, 0x54, 0x54, 0x78},
    {0x7f, 0x48, 0x44, 0x44, 0x38}, {0x38, 0x44, 0x44, 0x44, 0x20}, {0x38, 0x44, 0x44, 0x48, 0x7f},
    {0x38, 0x54, 0x54, 0x54, 0x18}, {0x08, 0x7e, 0x09, 0x01, 0x02}, {0x0c, 0x52, 0x52, 0x52, 0x3e},
    {0x7f, 0x08, 0x04, 0x04, 0x78}, {0x00, 0x44, 0x7d, 0x40, 0x00}, {0x20, 0x40, 0x44, 0x3d, 0x00},
    {0x7f, 0x10, 0x28, 0x44, 0x00}, {0x00, 0x41, 0x7f, 0x40, 0x00}, {0x7c, 0x04, 0x18, 0x04, 0x78},
    {0x7c, 0x08, 0x04, 0x04, 0x78}, {0x38, 0x44, 0x44, 0x44, 0x38}, {0x7c, 0x14, 0x14, 0x14, 0x08},
    {0x08, 0x14, 0x14, 0x18, 0x7c}, {0x7c, 0x08, 0x04, 0x04, 0x08}, {0x48, 0x54, 0x54, 0x54, 0x20},
    {0x04, 0x3f, 0x44, 0x40, 0x20}, {0x3c, 0x40, 0x40, 0x20, 0x7c}, {0x1c, 0x20, 0x40, 0x20, 0x1c},
    {0x3c, 0x40, 0x30, 0x40, 0x3c}, {0x44, 0x28, 0x10, 0x28, 0x44}, {0x0c, 0x50, 0x50, 0x50, 0x3c},
    {0x44, 0x64, 0x54, 0x4c, 0x44}, {0x00, 0x08, 0x36, 0x41, 0x00}, {0x00, 0x00, 0x7f, 0x00, 0x00},
    {0x00, 0x41, 0x36, 0x08, 0x00}, {0x10, 0x08, 0x08, 0x10, 0x08}};
static_assert(std::size(kLetters) == '~' - ' ' + 1);

const Letter& letter_of(char c) {
  const bool printable = c >= ' ' && c <= '~';
  return kLetters[(printable ? c : '?') - ' '];
}

void blacken(Pixels& image, int left, int top, int scale) {
  const int right = std::min(left + scale, image.width),
            bottom = std::min(top + scale, image.height);
  for (int y = std::max(top, 0); y < bottom; ++y) {
    for (int x = std::max(left, 0); x < right; ++x) std::fill_n(image.row(y) + 3 * x, 3, 0);
  }
}

}  // namespace

void write_text(Pixels& image, int left, int top, std::string_view text, int scale) {
  for (const char c : text) {
    const Letter& letter = letter_of(c);
    for (int column = 0; column < 5; ++column) {
      for (int row = 0; row < 7; ++row) {
        if ((letter[static_cast<std::size_t>(column)] >> row & 1) == 0) continue;
        blacken(image, left + column * scale, top + row * scale, scale);
      }
    }
    left += kLetterWidth * scale;
  }
}

namespace {

constexpr int kMargin = 8;
constexpr int kLargePicture = 160;  // larger pictures get larger letters

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

namespace {

void refuse_output(const ShowOptions& options) {
  if (output_place(options.output).is_stream) return;
  if (options.output.extension() != ".png") {
    throw configuration("--output is " + options.output.string(), "a name that ends in .png");
  }
  std::error_code unknown;
  if (std::filesystem::is_directory(options.output, unknown)) {
    throw cannot_create(options.output.string() + " is a folder", "the name of a file");
  }
  if (options.overwrite || !std::filesystem::exists(options.output, unknown)) return;
  throw cannot_create("picture " + options.output.string() + " exists already", {},
                      "choose another name, or give --overwrite");
}

// Returns views of the batch's images, which share its bytes.
std::vector<RgbView> images_of(const HostBatch& batch) {
  const HostField& field = batch.field("image");
  const auto height = static_cast<int>(field.shape[1]), width = static_cast<int>(field.shape[2]);
  std::vector<RgbView> views;
  for (std::int64_t i = 0; i < batch.samples; ++i) {
    views.push_back({field.as<std::uint8_t>().data() + i * height * width * 3, width, height});
  }
  return views;
}

// Mixes the bytes as the network's device mixes the pixels of a batch.
void mix(const HostBatch& batch, const MixingRow& row) {
  const auto images = images_of(batch);
  if (images.empty()) return;
  const std::size_t bytes = static_cast<std::size_t>(images[0].width) * images[0].height * 3;
  std::vector<std::uint8_t> last(images.back().bytes, images.back().bytes + bytes);
  for (std::size_t i = images.size() - 1; i > 0; --i) mix_bytes(images[i], images[i - 1], row);
  mix_bytes(images[0], {last.data(), images[0].width, images[0].height}, row);
}

std::string share_text(double share, const std::string& name) {
  return with_decimals(share, 2) + " " + name;
}

// Replaces each character that the font lacks by '?'.
std::string in_ascii(const std::string& text) {
  std::string ascii;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool continues_character = (byte & 0xc0) == 0x80;
    if (!continues_character) ascii += byte >= 0x80 ? '?' : c;
  }
  return ascii;
}

std::vector<Picture> pictures_of(const HostBatch& batch, const std::vector<std::string>& classes) {
  const auto name = [&](std::string_view field, std::size_t i) {
    const auto label = static_cast<std::size_t>(batch.field(field).as<std::int64_t>()[i]);
    return std::to_string(label) + " " + in_ascii(classes.at(label));
  };
  const bool mixed = batch.fields.size() > 2;
  MixingRow row{};
  if (mixed) {
    std::ranges::copy_n(batch.field("mixing").as<float>().begin(), kMixingColumns, row.begin());
    mix(batch, row);
  }
  std::vector<Picture> pictures;
  for (const RgbView& view : images_of(batch)) {
    const std::size_t i = pictures.size();
    if (!mixed) {
      pictures.push_back({view, {name("label", i)}});
    } else {
      pictures.push_back({view,
                          {share_text(row[kLabelShare], name("label", i)),
                           share_text(1 - row[kLabelShare], name("mixed_label", i))}});
    }
  }
  return pictures;
}

std::vector<SampledIndex> first_samples(std::int64_t data_size, const ShowOptions& options) {
  auto indices = sample_indices({.dataset_size = data_size, .seed = options.seed}, 0);
  indices.resize(static_cast<std::size_t>(std::min(data_size, options.samples)));
  return indices;
}

// Returns the factor by which small pictures are enlarged, so that their class fits below them.
int enlargement(int image_size) {
  constexpr int kLegible = 128;
  return (kLegible + image_size - 1) / image_size;
}

Pixels enlarged(const RgbView& from, int times) {
  Pixels to(from.width * times, from.height * times);
  for (int y = 0; y < to.height; ++y) {
    const std::uint8_t* const row = from.bytes + std::ptrdiff_t{3} * from.width * (y / times);
    for (int x = 0; x < to.width; ++x) std::copy_n(row + 3 * (x / times), 3, to.row(y) + 3 * x);
  }
  return to;
}

// This comes before anything is loaded. The PNG library refuses more rows.
void refuse_large_sheet(std::int64_t pictures, const ShowOptions& options) {
  constexpr std::int64_t kMostRows = 1'000'000;
  const int lines = options.augmentation.mixing.mixes() ? 2 : 1;
  const int side = options.image_size * enlargement(options.image_size);
  const SheetSize size = sheet_size(pictures, options.columns, {side, side}, lines);
  if (size.height <= kMostRows && size.width <= kMaxPixels / size.height) return;
  throw configuration("a sheet of " + std::to_string(pictures) + " pictures, " +
                          std::to_string(options.columns) + " in a row, has " +
                          std::to_string(size.width) + " x " + std::to_string(size.height) +
                          " pixels",
                      "at most " + std::to_string(kMaxPixels) + " pixels, in at most " +
                          std::to_string(kMostRows) + " rows",
                      "give fewer --samples, or a smaller --image-size");
}

struct Labelled {
  std::unique_ptr<Dataset> images;
  std::vector<std::string> classes;
  std::vector<std::string> notes;
};

// Opens an image tree or packed data.
Labelled open_labelled(const ShowOptions& options) {
  const ImageFolderOptions shown{
      .root = options.data, .image_size = options.image_size, .decoding = options.decoding};
  if (packed::is_packed(options.data)) {
    const auto data = open_packed_data(options.data);
    return {open_packed_images(data, shown), data->index().class_names(), {}};
  }
  const ImageTree tree = scan_image_tree(options.data);
  return {open_image_folder(tree, shown), tree.classes, tree.notes};
}

}  // namespace

ShownImages show_images(const ShowOptions& options) {
  refuse_output(options);
  Labelled shown = open_labelled(options);
  const auto images = augmented(std::move(shown.images), options.augmentation);
  refuse_large_sheet(std::min(images->size(), options.samples), options);
  Loader loader(*images, first_samples(images->size(), options), 0,
                {.batch_size = options.columns,
                 .drop_short_batch = false,
                 .on_bad_sample = options.on_bad_sample,
                 .seed = options.seed});
  std::vector<Pixels> pixels;  // `pictures` are views of these
  std::vector<Picture> pictures;
  while (auto loaded = loader.next()) {
    for (Picture& picture : pictures_of(loaded->batch, shown.classes)) {
      Pixels& large =
          pixels.emplace_back(enlarged(picture.pixels, enlargement(options.image_size)));
      picture.pixels = {large.bytes.get(), large.width, large.height};
      pictures.push_back(std::move(picture));
    }
  }
  const Pixels sheet = contact_sheet(pictures, options.columns);
  const std::vector<std::uint8_t> bytes = encode_png(sheet);
  AtomicFile file(options.output);
  file.append(std::as_bytes(std::span(bytes)));
  file.commit();
  return {.samples = static_cast<std::int64_t>(pictures.size()),
          .data_size = images->size(),
          .sheet = {sheet.width, sheet.height},
          .skipped = loader.skipped(),
          .notes = std::move(shown.notes)};
}

}  // namespace scalemark::data
