#include "data/images/jpeg_rows.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "core/base/error.h"
#include "data/images/decode.h"
#include "data/images/jpeg_errors.h"
#include "data/images/jpeg_row_bits.h"

namespace scalemark::data {
namespace {

// Owns libjpeg's two sides and what the writer allocated.
struct Transcoder {
  JpegErrorManager error;
  jpeg_decompress_struct in{};
  jpeg_compress_struct out{};
  unsigned char* target = nullptr;
  unsigned long bytes = 0;
  RowBits row_bits;

  Transcoder() {
    in.err = error.install();
    out.err = in.err;
    error.base.emit_message = [](j_common_ptr info, int level) {
      if (level < 0) JpegErrorManager::leave(info);  // a warning: kept as it is
    };
    error.base.output_message = [](j_common_ptr) {};
  }
  ~Transcoder() {
    jpeg_destroy_compress(&out);
    jpeg_destroy_decompress(&in);
    std::free(target);
  }
  Transcoder(const Transcoder&) = delete;
  Transcoder& operator=(const Transcoder&) = delete;

  bool run(std::span<const std::uint8_t> jpeg, bool own_tables);
  std::span<const std::uint8_t> written() const { return {target, bytes}; }
};

// In a scan of one component a row of the scan is a row of its own blocks, whatever its sampling.
bool has_plain_rows(const jpeg_decompress_struct& in) {
  if (in.num_components == 1) return in.comp_info[0].v_samp_factor == 1;
  return in.num_components == 3 && in.max_v_samp_factor <= 2;
}

bool is_of_usual_size(const jpeg_decompress_struct& in) {
  constexpr JDIMENSION kTallest = 65000;  // a row in front makes it taller
  return in.image_height <= kTallest &&
         std::int64_t{in.image_width} * std::int64_t{in.image_height} <= kMaxPixels;
}

// Holds nothing that a jump over it would leak.
bool Transcoder::run(std::span<const std::uint8_t> jpeg, bool own_tables) {
  if (setjmp(error.jump) != 0) return false;
  jpeg_create_decompress(&in);
  jpeg_create_compress(&out);
  jpeg_mem_src(&in, jpeg.data(), jpeg.size());
  jpeg_read_header(&in, TRUE);
  if (!has_plain_rows(in) || !is_of_usual_size(in)) return false;
  jvirt_barray_ptr* const coefficients = jpeg_read_coefficients(&in);
  jpeg_copy_critical_parameters(&in, &out);
  out.optimize_coding = own_tables ? TRUE : FALSE;
  jpeg_mem_dest(&out, &target, &bytes);
  jpeg_write_coefficients(&out, coefficients);
  jpeg_finish_compress(&out);
  count_row_bits(in, coefficients, out, row_bits);
  jpeg_finish_decompress(&in);
  return true;
}

// Rows [from, ...) of `whole` against all of `part`, whose row `skipped` is the first of these.
bool same_below(const Pixels& whole, int from, const Pixels& part, int skipped) {
  if (part.width != whole.width || part.height - skipped != whole.height - from) return false;
  const auto rows = static_cast<std::size_t>(whole.height - from);
  return std::memcmp(whole.row(from), part.row(skipped), rows * whole.stride()) == 0;
}

// Whole, and from its middle on; the first rows of pixels of a part lack their neighbours.
bool decodes_alike(std::span<const std::uint8_t> jpeg, const RowJpeg& made) {
  constexpr int kLackNeighbours = 2;
  try {
    const Pixels before = open_image(jpeg, "")->decode_whole();
    if (!same_below(before, 0, open_image(made.bytes, "")->decode_whole(), 0)) return false;
    const std::size_t rows = made.rows.counts.rows;
    const auto pixels = static_cast<int>(made.rows.counts.pixels);
    const int top = static_cast<int>(rows / 2) * pixels;
    if (top == 0) return true;
    const auto part = cut_rows(made.bytes, made.rows, rows / 2, rows, before.height - top);
    const int skipped = std::min(kLackNeighbours, before.height - top);
    return same_below(before, top + skipped, open_image(part, "")->decode_whole(),
                      pixels + skipped);
  } catch (const Error&) {
    return false;
  }
}

// With Huffman tables of its own, which may lack a code that a row in front needs, or the usual
// ones.
std::optional<RowJpeg> transcoded(std::span<const std::uint8_t> jpeg, bool own_tables) {
  Transcoder transcoder;
  if (!transcoder.run(jpeg, own_tables)) return std::nullopt;
  const auto written = transcoder.written();
  auto rows = find_rows(written, transcoder.row_bits);
  if (!rows || !can_begin_anywhere(*rows)) return std::nullopt;
  return RowJpeg{.bytes = {written.begin(), written.end()}, .rows = *std::move(rows)};
}

}  // namespace

std::optional<RowJpeg> with_rows(std::span<const std::uint8_t> jpeg) {
  auto made = transcoded(jpeg, true);
  if (!made) made = transcoded(jpeg, false);
  if (!made || !decodes_alike(jpeg, *made)) return std::nullopt;
  return made;
}

}  // namespace scalemark::data
