#include "data/images/jpeg/indexed_jpeg.h"

#include <cstring>
#include <utility>

#include "core/base/error.h"
#include "data/images/jpeg/libjpeg.h"
#include "data/images/jpeg/libjpeg_scan.h"

namespace scalemark::data {
namespace {

// Owns libjpeg's two sides and the output.
struct Transcoder {
  JpegErrorManager error;
  jpeg_decompress_struct in{};
  jpeg_compress_struct out{};
  JpegScanLimit scan_limit;
  JpegTarget target;

  Transcoder() {
    in.err = error.install();
    out.err = in.err;
    error.base.emit_message = [](j_common_ptr info, int level) {
      if (level < 0) JpegErrorManager::leave(info);  // a file with a warning is stored unchanged
    };
    error.base.output_message = [](j_common_ptr) {};
  }
  ~Transcoder() {
    jpeg_destroy_compress(&out);
    jpeg_destroy_decompress(&in);
  }
  Transcoder(const Transcoder&) = delete;
  Transcoder& operator=(const Transcoder&) = delete;

  bool run(std::span<const std::uint8_t> jpeg);
};

bool suits(const jpeg_decompress_struct& in) {
  return in.num_components <= static_cast<int>(jpeg::kMostIndexedComponents) &&
         std::int64_t{in.image_width} * std::int64_t{in.image_height} <= kMaxPixels;
}

// It holds nothing that a jump over it would leak.
bool Transcoder::run(std::span<const std::uint8_t> jpeg) {
  if (setjmp(error.jump) != 0) return false;
  jpeg_create_decompress(&in);
  jpeg_create_compress(&out);
  jpeg_mem_src(&in, jpeg.data(), jpeg.size());
  jpeg_read_header(&in, TRUE);
  if (!suits(in)) return false;
  scan_limit.install(in);
  jvirt_barray_ptr* const coefficients = jpeg_read_coefficients(&in);
  jpeg_copy_critical_parameters(&in, &out);
  out.optimize_coding = TRUE;
  target.install(out);
  jpeg_write_coefficients(&out, coefficients);
  jpeg_finish_compress(&out);
  jpeg_finish_decompress(&in);
  return true;
}

// Reads the headers of a file and its data.
struct PointFinder {
  JpegErrorManager error;
  jpeg_decompress_struct info{};
  jpeg::ScanMemory memory;
  std::optional<jpeg::AccessPoints> points;

  PointFinder() { info.err = error.install(); }
  ~PointFinder() { jpeg_destroy_decompress(&info); }
  PointFinder(const PointFinder&) = delete;
  PointFinder& operator=(const PointFinder&) = delete;

  // Only libjpeg's calls jump, while this holds nothing.
  void run(std::span<const std::uint8_t> jpeg) {
    if (setjmp(error.jump) != 0) return;
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, jpeg.data(), jpeg.size());
    jpeg_read_header(&info, TRUE);
    jpeg_start_decompress(&info);
    points = jpeg::find_access_points(info, jpeg, memory);
  }
};

bool same(const Pixels& a, const Pixels& b) {
  if (a.width != b.width || a.height != b.height) return false;
  return std::memcmp(a.row(0), b.row(0), static_cast<std::size_t>(a.height) * a.stride()) == 0;
}

// Compares the whole image and its lower right quarter.
bool decodes_alike(std::span<const std::uint8_t> jpeg, const IndexedJpeg& made) {
  const auto indexed = [&] { return open_indexed_jpeg(made.bytes, "", made.points); };
  try {
    if (!same(open_image(jpeg, "")->decode_whole(), indexed()->decode_whole())) return false;
    const auto [width, height] = indexed()->size();
    const Box quarter{.left = width / 2,
                      .top = height / 2,
                      .width = width - width / 2,
                      .height = height - height / 2};
    return same(open_image(jpeg, "")->decode(quarter, 8).pixels,
                indexed()->decode(quarter, 8).pixels);
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::optional<IndexedJpeg> with_access_points(std::span<const std::uint8_t> jpeg) {
  Transcoder transcoder;
  if (!transcoder.run(jpeg)) return std::nullopt;
  IndexedJpeg made{.bytes = transcoder.target.take()};
  PointFinder finder;
  finder.run(made.bytes);
  if (!finder.points) return std::nullopt;
  made.points = *std::move(finder.points);
  if (!decodes_alike(jpeg, made)) return std::nullopt;
  return made;
}

}  // namespace scalemark::data
