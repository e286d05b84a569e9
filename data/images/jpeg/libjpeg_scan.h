// Puts the scan decoder in the place of libjpeg's own entropy decoder, so that everything else of a
// decoded pixel is still libjpeg's. The only file that knows where in libjpeg that place is.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "data/images/decode.h"
#include "data/images/jpeg/libjpeg.h"
#include "data/images/jpeg/scan_decoder.h"
#include "data/images/jpeg/scan_memory.h"

namespace scalemark::data::jpeg {

class LibjpegScan {
 public:
  // To be called when jpeg_start_decompress() has been, before anything is decoded. `bytes` is the
  // whole file. False, and nothing has changed, for what libjpeg has to decode: several scans,
  // progressive or arithmetic coding; and where `points`, unless null, are not those of the file.
  // `info` keeps a pointer to this, and this uses `memory` to the image's end.
  bool take_over(jpeg_decompress_struct& info, std::span<const std::uint8_t> bytes,
                 ScanMemory& memory, const AccessPoints* points);

  // In MCUs; of others no coefficients are made (at first, all are needed).
  void need(const Box& mcus) { needed_ = mcus; }

  // When the last row has been decoded, before jpeg_finish_decompress(): the data behind the last
  // needed MCU are looked at, too. May leave by libjpeg's error handler.
  void finish(jpeg_decompress_struct& info);

 private:
  static boolean decode_mcu(j_decompress_ptr info, JBLOCKROW* blocks);
  ScanFault decode(std::uint32_t mcu, JBLOCKROW* blocks);
  void warn(jpeg_decompress_struct& info, ScanFault fault) const;

  std::optional<ScanDecoder> decoder_;
  std::uint32_t across_ = 0;   // MCUs in a row
  std::uint32_t asked_ = 0;    // MCUs so far
  std::uint32_t run_end_ = 0;  // MCU to which the decoder has been told to go on
  Box needed_;
};

// The access points of a file whose first bytes jpeg_start_decompress() has read, and no more;
// absent for what take_over() refuses.
std::optional<AccessPoints> find_access_points(jpeg_decompress_struct& info,
                                               std::span<const std::uint8_t> bytes,
                                               ScanMemory& memory);

// Pixels, or samples of one component, that a block becomes at the scale that has been chosen.
int block_size(const jpeg_decompress_struct& info);
int block_size(const jpeg_component_info& component);

// Pixels across of what is decoded at once, at the scale that has been chosen.
int mcu_width(const jpeg_decompress_struct& info);

}  // namespace scalemark::data::jpeg
