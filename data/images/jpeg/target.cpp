#include "data/images/jpeg/target.h"

#include <new>

// After jpeglib.h, which it extends.
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

// libjpeg's error handler leaves by a jump: nothing with a destructor may be alive here.
void JpegTarget::begin(j_compress_ptr info) {
  JpegTarget& target = target_of(info);
  if (!target.resize(kFirstBytes)) ERREXIT1(info, JERR_OUT_OF_MEMORY, 0);
  target.offer_from(0);
}

// Called when every byte is used.
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

}  // namespace scalemark::data
