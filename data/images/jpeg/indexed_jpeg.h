// JPEG files of which a crop decodes little more than it shows: the same coefficients, and places
// at which their decoding can begin. Knows nothing of shards or of why a crop was chosen.
//
// Restart markers would do this, too, for a few bytes more in each row of blocks and none of a
// table; but with them a file can be entered only at the left, and libjpeg-turbo, where others read
// it, takes a slower Huffman decoder.
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

// A sequential JPEG file of the same coefficients without restart markers, with Huffman tables of
// its own; comments, EXIF and profiles, which no loader looks at, are left out. Absent for what is
// stored better as it is: four components (CMYK), files that libjpeg cannot transcode or warns of,
// and every file whose result, whole or from its middle, does not decode to the same pixels, which
// is tried.
std::optional<IndexedJpeg> with_access_points(std::span<const std::uint8_t> jpeg);

// An image decoder over such a file; both must outlive it. Decoding throws bad_sample() (65) for
// points that cannot be those of the file.
std::unique_ptr<ImageDecoder> open_indexed_jpeg(std::span<const std::uint8_t> bytes,
                                                std::string name, const jpeg::AccessPoints& points,
                                                DecoderMemory* memory = nullptr);

}  // namespace scalemark::data
