// JPEG files with places at which decoding can begin, so that a crop decodes little more than it
// shows; the coefficients stay the same. Knows nothing of shards or of a crop's choice.
//
// Restart markers would do this as well, with a few bytes more in each row of blocks and no table.
// But with them a file can be entered only at the left edge, and libjpeg-turbo uses a slower
// Huffman decoder for them in other programs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/images/decode.h"
#include "data/images/jpeg/scan_decoder.h"

namespace scalemark::data {

struct IndexedJpeg {
  std::vector<std::uint8_t> bytes;
  jpeg::AccessPoints points;
};

// Returns a sequential JPEG file with the same coefficients, without restart markers, and with
// Huffman tables of its own. Comments, EXIF and profiles, which no loader reads, are left out.
// Returns nothing for a file that is better stored unchanged: one with four components (CMYK), one
// that libjpeg cannot transcode or warns of, and one whose result, whole or from its middle, does
// not decode to the same pixels, which is verified.
std::optional<IndexedJpeg> with_access_points(std::span<const std::uint8_t> jpeg);

// Returns a decoder of such a file; `bytes` and `points` must outlive it. Decoding throws
// bad_sample() (65) for points that cannot belong to the file.
std::unique_ptr<ImageDecoder> open_indexed_jpeg(std::span<const std::uint8_t> bytes,
                                                std::string name, const jpeg::AccessPoints& points,
                                                DecoderMemory* memory = nullptr);

}  // namespace scalemark::data
