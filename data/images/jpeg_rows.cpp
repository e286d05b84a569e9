#include "data/images/jpeg_rows.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "core/base/error.h"
#include "data/images/decode.h"
#include "data/images/jpeg_errors.h"

namespace scalemark::data {
namespace {

constexpr std::uint8_t kMarker = 0xff, kRestart = 0xd0, kEnd = 0xd9, kFrame = 0xc0, kFrame1 = 0xc1,
                       kScan = 0xda;
constexpr std::size_t kMarkerBytes = 2;

unsigned two_bytes(std::span<const std::uint8_t> bytes, std::size_t at) {
  return static_cast<unsigned>(bytes[at] << 8 | bytes[at + 1]);
}

// Owns libjpeg's two sides and what the writer allocated.
struct Transcoder {
  JpegErrorManager error;
  jpeg_decompress_struct in{};
  jpeg_compress_struct out{};
  unsigned char* target = nullptr;
  unsigned long bytes = 0;

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

  bool run(std::span<const std::uint8_t> jpeg);
};

// In a scan of one component a row of the scan is a row of its own blocks, whatever its sampling.
bool has_plain_rows(const jpeg_decompress_struct& in) {
  if (in.num_components == 1) return in.comp_info[0].v_samp_factor == 1;
  return in.num_components == 3 && in.max_v_samp_factor <= 2;
}

// Holds nothing that a jump over it would leak.
bool Transcoder::run(std::span<const std::uint8_t> jpeg) {
  if (setjmp(error.jump) != 0) return false;
  jpeg_create_decompress(&in);
  jpeg_create_compress(&out);
  jpeg_mem_src(&in, jpeg.data(), jpeg.size());
  jpeg_read_header(&in, TRUE);
  if (!has_plain_rows(in) ||
      std::int64_t{in.image_width} * std::int64_t{in.image_height} > kMaxPixels) {
    return false;
  }
  jvirt_barray_ptr* const coefficients = jpeg_read_coefficients(&in);
  jpeg_copy_critical_parameters(&in, &out);
  out.optimize_coding = TRUE;
  out.restart_in_rows = 1;
  jpeg_mem_dest(&out, &target, &bytes);
  jpeg_write_coefficients(&out, coefficients);
  jpeg_finish_compress(&out);
  jpeg_finish_decompress(&in);
  return true;
}

bool decodes_alike(std::span<const std::uint8_t> one, std::span<const std::uint8_t> other) {
  try {
    const Pixels a = open_image(one, "")->decode_whole();
    const Pixels b = open_image(other, "")->decode_whole();
    return a.width == b.width && a.height == b.height &&
           std::memcmp(a.row(0), b.row(0), a.stride() * static_cast<std::size_t>(a.height)) == 0;
  } catch (const Error&) {
    return false;
  }
}

// What the header says, as far as rows depend on it.
struct Header {
  std::size_t height_at = 0;
  unsigned height = 0;
  unsigned row_pixels = 0;
  std::size_t data_at = 0;  // of the first byte behind the scan's header
};

// Sampling factors of the frame: 3 bytes for each component, the second being them.
unsigned row_pixels(std::span<const std::uint8_t> frame) {
  const std::size_t components = frame[9];
  if (frame.size() < 10 + 3 * components) return 0;
  unsigned tallest = 0;
  for (std::size_t c = 0; c < components; ++c) {
    tallest = std::max(tallest, static_cast<unsigned>(frame[10 + 3 * c + 1] & 15));
  }
  return 8 * (components == 1 ? 1 : tallest);
}

std::optional<Header> read_header(std::span<const std::uint8_t> jpeg) {
  Header header;
  for (std::size_t at = kMarkerBytes; at + 4 <= jpeg.size();) {
    const std::uint8_t marker = jpeg[at + 1];
    const std::size_t next = at + kMarkerBytes + two_bytes(jpeg, at + 2);
    if (jpeg[at] != kMarker || next > jpeg.size()) return std::nullopt;
    if (marker == kFrame || marker == kFrame1) {
      if (next < at + 10) return std::nullopt;
      header.height_at = at + 5;
      header.height = two_bytes(jpeg, at + 5);
      header.row_pixels = row_pixels(jpeg.subspan(at, next - at));
    }
    if (marker == kScan) {
      header.data_at = next;
      return header;
    }
    at = next;
  }
  return std::nullopt;
}

// Places behind each marker of the picture's data, the first byte of it being the first place.
std::vector<std::uint32_t> row_begins(std::span<const std::uint8_t> jpeg, std::size_t data_at) {
  std::vector<std::uint32_t> begin{static_cast<std::uint32_t>(data_at)};
  const std::uint8_t* at = jpeg.data() + data_at;
  const std::uint8_t* const last = jpeg.data() + jpeg.size() - 1;
  while (at < last) {
    at = static_cast<const std::uint8_t*>(
        std::memchr(at, kMarker, static_cast<std::size_t>(last - at)));
    if (at == nullptr) break;
    const std::uint8_t marker = at[1];
    at += kMarkerBytes;
    if (marker != kEnd && (marker & 0xf8) != kRestart) continue;
    begin.push_back(static_cast<std::uint32_t>(at - jpeg.data()));
    if (marker == kEnd) break;
  }
  return begin;
}

}  // namespace

std::optional<JpegRows> find_rows(std::span<const std::uint8_t> jpeg) {
  const auto header = read_header(jpeg);
  if (!header || header->row_pixels == 0 || header->height == 0) return std::nullopt;
  JpegRows rows{.pixels = header->row_pixels,
                .height_at = static_cast<std::uint32_t>(header->height_at),
                .begin = row_begins(jpeg, header->data_at)};
  const std::size_t expected = (header->height + rows.pixels - 1) / rows.pixels;
  if (rows.count() != expected || rows.begin.back() != jpeg.size()) return std::nullopt;
  return rows;
}

std::optional<RowJpeg> with_row_markers(std::span<const std::uint8_t> jpeg) {
  Transcoder transcoder;
  if (!transcoder.run(jpeg)) return std::nullopt;
  const std::span<const std::uint8_t> written(transcoder.target, transcoder.bytes);
  auto rows = find_rows(written);
  if (!rows || !decodes_alike(jpeg, written)) return std::nullopt;
  return RowJpeg{.bytes = {written.begin(), written.end()}, .rows = *std::move(rows)};
}

std::span<const std::uint8_t> cut_rows(std::span<std::uint8_t> jpeg, const JpegRows& rows,
                                       std::size_t first, std::size_t end, int height) {
  const std::size_t header_bytes = rows.begin[0];
  const std::size_t start = rows.begin[first] - header_bytes;
  std::memmove(jpeg.data() + start, jpeg.data(), header_bytes);
  const auto put = [&](std::size_t at, int value) { jpeg[at] = static_cast<std::uint8_t>(value); };
  put(start + rows.height_at, height >> 8);
  put(start + rows.height_at + 1, height & 0xff);
  for (std::size_t row = first; row < end; ++row) {
    const std::size_t marker = rows.begin[row + 1] - 1;
    put(marker, row + 1 == end ? kEnd : kRestart + static_cast<int>((row - first) % 8));
  }
  return jpeg.subspan(start, rows.begin[end] - start);
}

}  // namespace scalemark::data
