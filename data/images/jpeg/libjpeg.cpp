#include "data/images/jpeg/libjpeg.h"

#include <new>
#include <string>

#include "core/base/error.h"
#include "data/images/codecs.h"

// It extends jpeglib.h and must follow it.
#include <jerror.h>

namespace scalemark::data {
namespace {

constexpr std::size_t kFirstBytes = std::size_t{64} << 10;

JpegTarget& target_of(j_compress_ptr info) { return *static_cast<JpegTarget*>(info->client_data); }

}  // namespace

void JpegTarget::install(jpeg_compress_struct& info) {
  manager_.init_destination = begin;
  manager_.empty_output_buffer = grow;
  manager_.term_destination = end;
  info.client_data = this;
  info.dest = &manager_;
}

bool JpegTarget::resize(std::size_t bytes) noexcept {
  try {
    bytes_.resize(bytes);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void JpegTarget::offer_from(std::size_t used) {
  manager_.next_output_byte = bytes_.data() + used;
  manager_.free_in_buffer = bytes_.size() - used;
}

// libjpeg's error handler leaves by a jump, so no object with a destructor may be alive here.
void JpegTarget::begin(j_compress_ptr info) {
  JpegTarget& target = target_of(info);
  if (!target.resize(kFirstBytes)) ERREXIT1(info, JERR_OUT_OF_MEMORY, 0);
  target.offer_from(0);
}

// libjpeg calls it when every byte is used.
boolean JpegTarget::grow(j_compress_ptr info) {
  JpegTarget& target = target_of(info);
  const std::size_t used = target.bytes_.size();
  if (!target.resize(2 * used)) ERREXIT1(info, JERR_OUT_OF_MEMORY, 0);
  target.offer_from(used);
  return TRUE;
}

void JpegTarget::end(j_compress_ptr info) {
  JpegTarget& target = target_of(info);
  target.bytes_.resize(target.bytes_.size() - target.manager_.free_in_buffer);
}

namespace {

struct Encoder {
  JpegErrorManager error;
  jpeg_compress_struct info{};
  JpegTarget target;

  Encoder() { info.err = error.install(); }
  ~Encoder() { jpeg_destroy_compress(&info); }
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  // It holds nothing that a jump over it would leak.
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
