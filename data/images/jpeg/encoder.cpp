#include <cstdlib>
#include <memory>

#include "core/base/error.h"
#include "data/images/encode.h"
#include "data/images/jpeg/errors.h"

namespace scalemark::data {
namespace {

// Holds nothing that a jump over it would leak.
bool compress(jpeg_compress_struct& info, JpegErrorManager& error, const Pixels& pixels,
              int quality, unsigned char** target, unsigned long* bytes) {
  if (setjmp(error.jump) != 0) return false;
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, target, bytes);
  info.image_width = static_cast<JDIMENSION>(pixels.width);
  info.image_height = static_cast<JDIMENSION>(pixels.height);
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, quality, TRUE);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    auto* row = const_cast<JSAMPROW>(pixels.row(static_cast<int>(info.next_scanline)));
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  return true;
}

}  // namespace

std::vector<std::uint8_t> encode_jpeg(const Pixels& pixels, int quality) {
  JpegErrorManager error;
  jpeg_compress_struct info{};
  info.err = error.install();
  unsigned char* target = nullptr;
  unsigned long bytes = 0;
  const bool done = compress(info, error, pixels, quality, &target, &bytes);
  jpeg_destroy_compress(&info);
  const std::unique_ptr<unsigned char, void (*)(void*)> owner(target, std::free);
  if (!done) throw bug(std::string("JPEG encoder: ") + error.message);
  return {target, target + bytes};
}

}  // namespace scalemark::data
