// Replaces libjpeg's own entropy decoder by the scan decoder; all other steps of decoding stay
// libjpeg's. Only this file knows the place in libjpeg where the decoder is installed.
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
  // Call it after jpeg_start_decompress() and before anything is decoded. `bytes` is the whole
  // file. Returns false, without a change, for what libjpeg has to decode itself: several scans,
  // progressive or arithmetic coding; and where `points`, unless null, do not belong to the file.
  // `info` keeps a pointer to this object, which uses `memory` until the image's end.
  bool take_over(jpeg_decompress_struct& info, std::span<const std::uint8_t> bytes,
                 ScanMemory& memory, const AccessPoints* points);

  // Sets the needed MCUs; others get no coefficients. At first, all are needed.
  void need(const Box& mcus) { needed_ = mcus; }

  // Call it when the last row has been decoded, before jpeg_finish_decompress(): it also checks the
  // data after the last needed MCU. May leave by libjpeg's error handler.
  void finish(jpeg_decompress_struct& info);

 private:
  static boolean decode_mcu(j_decompress_ptr info, JBLOCKROW* blocks);
  ScanFault decode(std::uint32_t mcu, JBLOCKROW* blocks);
  void warn(jpeg_decompress_struct& info, ScanFault fault) const;

  std::optional<ScanDecoder> decoder_;
  std::uint32_t across_ = 0;   // MCUs in a row
  std::uint32_t asked_ = 0;    // MCUs requested so far
  std::uint32_t run_end_ = 0;  // end of the MCUs that the decoder has prepared
  Box needed_;
};

// Finds the access points of a file of which jpeg_start_decompress() has read the first bytes and
// no more. Returns nothing for files that take_over() refuses.
std::optional<AccessPoints> find_access_points(jpeg_decompress_struct& info,
                                               std::span<const std::uint8_t> bytes,
                                               ScanMemory& memory);

// Returns the pixels, or samples of one component, across a block at the chosen scale.
int block_size(const jpeg_decompress_struct& info);
int block_size(const jpeg_component_info& component);

// Returns the pixels across an MCU, which is decoded at once, at the chosen scale.
int mcu_width(const jpeg_decompress_struct& info);

}  // namespace scalemark::data::jpeg
