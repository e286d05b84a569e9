// Decodes a part of a JPEG file as planes of luma and chroma, without conversion to RGB.

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/error.h"
#include "data/images/jpeg/decoder.h"
#include "data/images/resize.h"

// It extends jpeglib.h and must follow it.
#include <jerror.h>

namespace scalemark::data {
namespace {

// No more than this is kept for the next image, since larger images are rare and there are many
// workers.
constexpr std::size_t kMostKept = std::size_t{32} << 20;

using jpeg::block_size;

// These are from libjpeg's jpegint.h, which is not installed everywhere: DSTATE_SCANNING and
// DSTATE_RAW_OK.
constexpr int kScanningState = 205;
constexpr int kRawState = 206;

int rows_in_a_block(const jpeg_component_info& component) {
  return component.v_samp_factor * block_size(component);
}

// Describes libjpeg's upsampling (jdsample.c, jinit_upsampler); false where it cannot upsample.
bool describe(const jpeg_decompress_struct& info, const jpeg_component_info& component,
              Plane& plane) {
  const int high_across = info.max_h_samp_factor * block_size(info);
  const int high_down = info.max_v_samp_factor * block_size(info);
  const int own_across = component.h_samp_factor * block_size(component);
  const int own_down = component.v_samp_factor * block_size(component);
  if (high_across % own_across != 0 || high_down % own_down != 0) return false;
  const int across = high_across / own_across;
  const int down = high_down / own_down;
  const bool interpolates = info.do_fancy_upsampling != FALSE && block_size(info) > 1;
  const bool both = (across == 2 && (down == 1 || down == 2) && component.downsampled_width > 2);
  const bool smooth = interpolates && (both || (across == 1 && down == 2));
  plane.across = {.pixels = static_cast<int>(info.output_width),
                  .samples = static_cast<int>(component.downsampled_width),
                  .each = across,
                  .smooth = smooth && across == 2};
  plane.down = {.pixels = static_cast<int>(info.output_height),
                .samples = static_cast<int>(component.downsampled_height),
                .each = down,
                .smooth = smooth && down == 2};
  return true;
}

// The rows of samples that libjpeg fills from one row of blocks.
class RowTargets {
 public:
  RowTargets(const jpeg_decompress_struct& info, const std::array<std::uint8_t*, 3>& begins)
      : count_(info.num_components), begins_(begins) {
    for (int c = 0; c < count_; ++c) {
      lines_[c].resize(static_cast<std::size_t>(rows_in_a_block(info.comp_info[c])));
      arrays_[c] = lines_[c].data();
    }
  }

  // `row` is relative to the first wanted one.
  void point_at(const PlanarRegion& region, int row) {
    for (int c = 0; c < count_; ++c) {
      const std::size_t first = static_cast<std::size_t>(row) * lines_[c].size();
      for (std::size_t y = 0; y < lines_[c].size(); ++y) {
        lines_[c][y] = begins_[c] + (first + y) * region.planes[c].stride;
      }
    }
  }

  JSAMPIMAGE arrays() { return arrays_; }

 private:
  int count_;
  std::array<std::uint8_t*, 3> begins_;
  std::vector<JSAMPROW> lines_[3];
  JSAMPARRAY arrays_[3] = {};
};

}  // namespace

std::uint8_t* PlaneStore::of(std::size_t bytes) {
  if (bytes > size_ || size_ > kMostKept) {
    bytes_ = nullptr;
    bytes_ = std::make_unique_for_overwrite<std::uint8_t[]>(bytes);
    size_ = bytes;
  }
  return bytes_.get();
}

// Rows and columns of blocks (iMCUs), which libjpeg decodes at once.
struct JpegDecoder::Blocks {
  int width;  // pixels of the image in each block
  int height;
  Box wanted;  // counts blocks
};

bool JpegDecoder::stores_planes() const {
  return (info_.num_components == 1 && info_.jpeg_color_space == JCS_GRAYSCALE) ||
         (info_.num_components == 3 && info_.jpeg_color_space == JCS_YCbCr);
}

bool JpegDecoder::describe_planes(int eighths, PlanarRegion& region) {
  info_.scale_num = static_cast<unsigned>(eighths);
  info_.scale_denom = 8;
  guarded([this] { jpeg_calc_output_dimensions(&info_); });
  region.eighths = eighths;
  region.count = info_.num_components;
  region.scaled = {static_cast<int>(info_.output_width), static_cast<int>(info_.output_height)};
  for (int c = 0; c < region.count; ++c) {
    if (!describe(info_, info_.comp_info[c], region.planes[c])) return false;
  }
  return true;
}

bool JpegDecoder::decode_planes(const Box& box, int eighths, PlanarRegion& region, PlaneWork work) {
  if (!stores_planes() || !describe_planes(eighths, region)) return false;
  info_.raw_data_out = TRUE;
  info_.out_color_space = info_.jpeg_color_space;
  start();

  const Blocks blocks = blocks_of(box, eighths, region.scaled);
  leave_out_columns_of(blocks);
  // rows of MCUs in a row of blocks
  const int rows = info_.num_components == 1 ? info_.max_v_samp_factor : 1;
  scan_.need({.left = blocks.wanted.left,
              .top = blocks.wanted.top * rows,
              .width = blocks.wanted.width,
              .height = blocks.wanted.height * rows});
  read_planes(blocks, region, work);
  end_if_at_the_bottom();
  return true;
}

JpegDecoder::Blocks JpegDecoder::blocks_of(const Box& box, int eighths, ImageSize scaled) const {
  // Across, libjpeg treats a file of one component as one of 1 x 1 samples.
  const int width =
      info_.num_components == 1 ? block_size(info_) : info_.max_h_samp_factor * block_size(info_);
  const int height = info_.max_v_samp_factor * block_size(info_);
  const int across = 2 * info_.max_h_samp_factor;  // margin for a smooth neighbour
  const int down = 2 * info_.max_v_samp_factor;
  const auto first = [&](int low, int margin, int block) {
    return std::max(0, low * eighths / 8 - margin) / block;
  };
  const auto end = [&](int high, int margin, int size, int block) {
    return (std::min(size, high * eighths / 8 + 1 + margin) + block - 1) / block;
  };
  Box wanted{.left = first(box.left, across, width), .top = first(box.top, down, height)};
  wanted.width = end(box.left + box.width, across, scaled.width, width) - wanted.left;
  wanted.height = end(box.top + box.height, down, scaled.height, height) - wanted.top;
  return {.width = width, .height = height, .wanted = wanted};
}

// libjpeg offers this call for jpeg_read_scanlines() only, though it obeys the result wherever
// blocks become samples. Its state says which of the two modes is active, and only this call checks
// it. With the margin of blocks_of() each component keeps a column of at least 2 samples; otherwise
// the call would select another upsampling, which is not set up here.
void JpegDecoder::leave_out_columns_of(const Blocks& blocks) {
  auto first = static_cast<JDIMENSION>(blocks.wanted.left * blocks.width);
  const auto columns = static_cast<JDIMENSION>(blocks.wanted.width * blocks.width);
  JDIMENSION width = std::min(columns, info_.output_width - first);
  if (info_.global_state != kRawState) throw bug("libjpeg has another state than jpegint.h names");
  info_.global_state = kScanningState;
  guarded([&] { jpeg_crop_scanline(&info_, &first, &width); });
  info_.global_state = kRawState;
}

// Sets each plane's place in the image and in the store, and returns its first byte there.
JpegDecoder::PlaneBegins JpegDecoder::lay_out_planes(const Blocks& blocks,
                                                     PlanarRegion& region) const {
  const Box& wanted = blocks.wanted;
  std::size_t begin_of[4] = {};
  for (int c = 0; c < region.count; ++c) {
    const jpeg_component_info& component = info_.comp_info[c];
    Plane& plane = region.planes[c];
    const int columns =
        region.count == 1 ? block_size(component) : component.h_samp_factor * block_size(component);
    const int rows = rows_in_a_block(component);
    plane.left = wanted.left * columns;
    plane.top = wanted.top * rows;
    plane.stride = static_cast<std::size_t>(wanted.width * columns);
    begin_of[c + 1] = begin_of[c] + plane.stride * static_cast<std::size_t>(wanted.height * rows);
  }
  std::uint8_t* const store = region.store.of(begin_of[region.count]);
  PlaneBegins begins = {};
  for (int c = 0; c < region.count; ++c) region.planes[c].bytes = begins[c] = store + begin_of[c];
  return begins;
}

// Above the wanted rows only entropy decoding is done, which cannot be left out.
void JpegDecoder::read_planes(const Blocks& blocks, PlanarRegion& region, PlaneWork work) {
  RowTargets targets(info_, lay_out_planes(blocks, region));
  for (int row = 0; row < blocks.wanted.top + blocks.wanted.height; ++row) {
    const bool needed = row >= blocks.wanted.top && work == PlaneWork::kSamples;
    for (int c = 0; c < region.count; ++c) {
      info_.comp_info[c].component_needed = needed ? TRUE : FALSE;
    }
    if (needed) targets.point_at(region, row - blocks.wanted.top);
    guarded([&] {
      const auto rows = static_cast<JDIMENSION>(blocks.height);
      if (jpeg_read_raw_data(&info_, targets.arrays(), rows) == 0) {
        ERREXIT(&info_, JERR_CANT_SUSPEND);
      }
    });
  }
}

}  // namespace scalemark::data
