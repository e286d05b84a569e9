// One image file as the bytes that a shard holds of it, and the decoder of those. Knows nothing of
// shards, or of files' names beyond what errors say.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/images/decode.h"
#include "data/images/jpeg/indexed_jpeg.h"
#include "data/packed/format.h"

namespace scalemark::data::packed {

// A record of encoding kIndexed holds places at which the file's decoding can begin, as the number
// of points and their spacing, and the points; then the JPEG file.
std::vector<std::uint8_t> with_access_table(const IndexedJpeg& jpeg);

struct TableAndFile {
  jpeg::AccessPoints points;
  std::span<const std::uint8_t> file;
};

// Throws bad_data() (65) for a table that is not whole. Whether it fits its file is seen when that
// is decoded.
TableAndFile split_access_table(std::span<const std::uint8_t> record);

struct Record {
  std::vector<std::uint8_t> bytes;
  ImageSize size;  // 0 x 0: the stored file's header could not be read
  Encoding encoding = Encoding::kFile;
  Digest checksum{};
  std::string fault;  // why the file does not decode; kJpeg keeps it nevertheless
};

// kJpeg takes any file: what does not decode is stored as it is, and refused when it is loaded, as
// it would be in the tree. The others throw bad_sample() (65) for it.
Record make_record(Form form, std::vector<std::uint8_t> file, const std::string& name);

// Returns the size that an image has once its shorter side is reduced to kShorterSide. Images whose
// shorter side is no longer than that keep theirs.
ImageSize reduced_size(ImageSize size);

// An image decoder over the bytes of a record; these and `memory`, which may be null, must outlive
// it. Throws bad_sample() (65) for bytes that make no image.
std::unique_ptr<ImageDecoder> open_record(Encoding encoding, std::span<const std::uint8_t> bytes,
                                          ImageSize size, const std::string& name,
                                          DecoderMemory* memory = nullptr);

// The same over pixels that are only read.
std::unique_ptr<ImageDecoder> open_raw(const std::uint8_t* pixels, ImageSize size);

}  // namespace scalemark::data::packed
