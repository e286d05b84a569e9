// Calls libjpeg rather than TurboJPEG's own functions: only libjpeg can leave out rows and columns
// outside a crop, which is half of the work of a random resized crop.
#include "data/images/jpeg/decoder.h"

#include <algorithm>
#include <utility>

// It extends jpeglib.h and must follow it.
#include <jerror.h>

namespace scalemark::data {
namespace {

// Recognises warnings about data around the picture, which leave every pixel correct.
bool is_harmless(int message) {
  switch (message) {
    case JWRN_ADOBE_XFORM:
    case JWRN_BOGUS_PROGRESSION:
    case JWRN_EXTRANEOUS_DATA:
    case JWRN_JFIF_MAJOR:
    case JWRN_TOO_MUCH_DATA:
      return true;
    default:
      return false;
  }
}

// Throws for missing or corrupt data, of which libjpeg only "warns" while it paints grey.
void take_message(j_common_ptr info, int level) {
  if (level < 0 && !is_harmless(info->err->msg_code)) JpegErrorManager::leave(info);
}

}  // namespace

JpegDecoder::JpegDecoder(std::span<const std::uint8_t> bytes, std::string name,
                         DecoderMemory* memory, const jpeg::AccessPoints* points)
    : bytes_(bytes), name_(std::move(name)), memory_(memory), points_(points) {
  info_.err = error_.install();
  error_.base.emit_message = take_message;
  error_.base.output_message = [](j_common_ptr) {};
  guarded([this] { jpeg_create_decompress(&info_); });
  try {
    guarded([this] {
      jpeg_mem_src(&info_, bytes_.data(), bytes_.size());
      jpeg_read_header(&info_, TRUE);
    });
    refuse_odd_size(name_, info_.image_width, info_.image_height);
    choose_colours();
  } catch (...) {
    jpeg_destroy_decompress(&info_);
    throw;
  }
}

void JpegDecoder::choose_colours() {
  switch (info_.num_components) {
    case 1:
    case 3:
      info_.out_color_space = JCS_RGB;
      return;
    case 4:
      info_.out_color_space = JCS_CMYK;
      return;
    default:
      throw bad_sample(name_, std::to_string(info_.num_components) + " colour components");
  }
}

// Detects damage below a crop, which the crop itself would not show: the end-of-image marker cannot
// occur inside picture data, so its absence after the first scan's header shows the damage.
void JpegDecoder::refuse_if_cut_short() {
  const std::uint8_t* const scan = info_.src->next_input_byte;
  const std::uint8_t* const end = bytes_.data() + bytes_.size();
  for (const std::uint8_t* p = end; p - scan >= 2; --p) {
    if (p[-2] == 0xff && p[-1] == JPEG_EOI) return;
  }
  throw bad_sample(name_, "the image is cut short: it has no end marker");
}

namespace {

// Like Pillow this takes every CMYK file as Adobe's, inverted, as files in practice are.
void inverted_cmyk_to_rgb(const std::uint8_t* cmyk, int pixels, std::uint8_t* rgb) {
  for (int i = 0; i < pixels; ++i) {
    const int light = cmyk[4 * i + 3];
    for (int c = 0; c < 3; ++c) {
      const int product = (255 - cmyk[4 * i + c]) * light + 128;
      rgb[3 * i + c] =
          static_cast<std::uint8_t>(std::max(0, light - (((product >> 8) + product) >> 8)));
    }
  }
}

}  // namespace

// Reads up to the first scan's data, or all of a file with several scans.
void JpegDecoder::start() {
  if (jpeg_has_multiple_scans(&info_) != FALSE) scan_limit_.install(info_);
  guarded([this] { jpeg_start_decompress(&info_); });
  if (jpeg_has_multiple_scans(&info_) == FALSE) refuse_if_cut_short();
  DecoderMemory& memory = memory_ != nullptr ? *memory_ : own_memory_.emplace();
  own_scan_ = scan_.take_over(info_, bytes_, memory.scan(), points_);
  if (points_ != nullptr && !own_scan_) {
    throw bad_sample(name_, "its access points are not those of the file");
  }
}

DecodedRegion JpegDecoder::decode(const Box& box, int eighths) {
  info_.scale_num = static_cast<unsigned>(eighths);
  info_.scale_denom = 8;
  start();
  const Box scaled = scaled_to_eighths(box, eighths);
  const Columns columns = leave_out_columns(scaled);
  DecodedRegion region{.pixels = Pixels(columns.count, scaled.height),
                       .left = columns.first,
                       .top = scaled.top,
                       .eighths = eighths};
  if (scaled.top > 0) {
    guarded([&] { jpeg_skip_scanlines(&info_, static_cast<JDIMENSION>(scaled.top)); });
  }
  read_rows(region.pixels);
  return region;
}

// Returns the part of the scaled image that touches the box.
Box JpegDecoder::scaled_to_eighths(const Box& box, int eighths) const {
  const auto down = [&](int v) { return v * eighths / 8; };
  const auto up = [&](int v) { return (v * eighths + 7) / 8; };
  const int right = std::min(static_cast<int>(info_.output_width), up(box.left + box.width));
  const int bottom = std::min(static_cast<int>(info_.output_height), up(box.top + box.height));
  return {.left = down(box.left),
          .top = down(box.top),
          .width = right - down(box.left),
          .height = bottom - down(box.top)};
}

// Corrects the component widths of a crop. libjpeg-turbo 2.1 ignores that components may be scaled
// by another size than the image (those of 4 x 2 samples and others are): after interpolation to
// half of the width a row would end in unwritten memory.
void JpegDecoder::narrow_components() {
  const auto high = static_cast<std::int64_t>(info_.max_h_samp_factor) * jpeg::block_size(info_);
  for (int c = 0; c < info_.num_components; ++c) {
    jpeg_component_info& component = info_.comp_info[c];
    const auto own =
        static_cast<std::int64_t>(component.h_samp_factor) * jpeg::block_size(component);
    component.downsampled_width =
        static_cast<JDIMENSION>((info_.output_width * own + high - 1) / high);
  }
}

// Columns only; rows are left out by jpeg_skip_scanlines().
JpegDecoder::Columns JpegDecoder::leave_out_columns(const Box& scaled) {
  // A margin is needed because at a crop's edge chroma is interpolated from a repeated column, and
  // because libjpeg does not interpolate at all where a component is left with a single sample.
  const int across = info_.max_h_samp_factor;
  const int margin = across <= 2 ? 2 : 2 * across;
  const int full = static_cast<int>(info_.output_width);
  auto first = static_cast<JDIMENSION>(std::max(0, scaled.left - margin));
  auto count = static_cast<JDIMENSION>(std::min(full, scaled.left + scaled.width + margin)) - first;
  if (first > 0 || count < info_.output_width) {
    guarded([&] { jpeg_crop_scanline(&info_, &first, &count); });
    narrow_components();
  }
  const Columns columns{.first = static_cast<int>(first), .count = static_cast<int>(count)};
  const int width = jpeg::mcu_width(info_);
  const int left = columns.first / width;
  scan_.need({.left = left,
              .width = (columns.first + columns.count + width - 1) / width - left,
              .height = static_cast<int>(info_.MCU_rows_in_scan)});
  return columns;
}

void JpegDecoder::read_rows(Pixels& pixels) {
  const bool cmyk = info_.out_color_space == JCS_CMYK;
  std::vector<std::uint8_t> cmyk_row(cmyk ? info_.output_width * 4 : 0);
  for (int y = 0; y < pixels.height; ++y) {
    JSAMPROW row = cmyk ? cmyk_row.data() : pixels.row(y);
    guarded([&] {
      if (jpeg_read_scanlines(&info_, &row, 1) != 1) ERREXIT(&info_, JERR_CANT_SUSPEND);
    });
    if (cmyk) inverted_cmyk_to_rgb(row, pixels.width, pixels.row(y));
  }
  end_if_at_the_bottom();
}

// At the bottom this also notices damage after the last row. A file with access points was whole
// when they were found.
void JpegDecoder::end_if_at_the_bottom() {
  if (info_.output_scanline < info_.output_height || points_ != nullptr) return;
  guarded([this] {
    if (own_scan_) scan_.finish(info_);
    jpeg_finish_decompress(&info_);
  });
}

std::unique_ptr<ImageDecoder> open_indexed_jpeg(std::span<const std::uint8_t> bytes,
                                                std::string name, const jpeg::AccessPoints& points,
                                                DecoderMemory* memory) {
  return std::make_unique<JpegDecoder>(bytes, std::move(name), memory, &points);
}

std::unique_ptr<ImageDecoder> open_jpeg(std::span<const std::uint8_t> bytes, std::string name,
                                        DecoderMemory* memory) {
  return std::make_unique<JpegDecoder>(bytes, std::move(name), memory);
}

}  // namespace scalemark::data
