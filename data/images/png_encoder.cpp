#include <png.h>

#include <string>

#include "core/base/error.h"
#include "data/images/encode.h"

namespace scalemark::data {

std::vector<std::uint8_t> encode_png(const Pixels& pixels) {
  png_image image{.version = PNG_IMAGE_VERSION,
                  .width = static_cast<png_uint_32>(pixels.width),
                  .height = static_cast<png_uint_32>(pixels.height),
                  .format = PNG_FORMAT_RGB};
  std::vector<std::uint8_t> bytes(PNG_IMAGE_PNG_SIZE_MAX(image));
  png_alloc_size_t written = bytes.size();
  if (png_image_write_to_memory(&image, bytes.data(), &written, 0, pixels.row(0), 0, nullptr) ==
      0) {
    throw bug(std::string("PNG encoder: ") + image.message);
  }
  bytes.resize(written);
  return bytes;
}

}  // namespace scalemark::data
