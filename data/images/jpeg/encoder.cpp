#include <string>

#include "core/base/error.h"
#include "data/images/encode.h"
#include "data/images/jpeg/errors.h"
#include "data/images/jpeg/target.h"

namespace scalemark::data {
namespace {

struct Encoder {
  JpegErrorManager error;
  jpeg_compress_struct info{};
  JpegTarget target;

  Encoder() { info.err = error.install(); }
  ~Encoder() { jpeg_destroy_compress(&info); }
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  // Holds nothing that a jump over it would leak.
  bool run(const Pixels& pixels, int quality) {
    if (setjmp(error.jump) != 0) return false;
    jpeg_create_compress(&info);
    target.install(info);
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
};

}  // namespace

std::vector<std::uint8_t> encode_jpeg(const Pixels& pixels, int quality) {
  Encoder encoder;
  if (!encoder.run(pixels, quality)) {
    throw bug(std::string("JPEG encoder: ") + encoder.error.message);
  }
  return encoder.target.take();
}

}  // namespace scalemark::data
