// Memory that a JPEG file is written into. libjpeg's own, jpeg_mem_dest(), leaves the caller with
// memory that has been freed when it finds no more. Private to what writes JPEG.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "data/images/jpeg/errors.h"

namespace scalemark::data {

class JpegTarget {
 public:
  // `info` has a JpegErrorManager, and keeps a pointer to this.
  void install(jpeg_compress_struct& info);

  // The file, when jpeg_finish_compress() has been called.
  std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  static void begin(j_compress_ptr info);
  static boolean grow(j_compress_ptr info);
  static void end(j_compress_ptr info);

  bool resize(std::size_t bytes) noexcept;
  void offer_from(std::size_t used);

  jpeg_destination_mgr manager_{};
  std::vector<std::uint8_t> bytes_;
};

}  // namespace scalemark::data
