// One image file in the form of a shard's record, and the decoder of records. Knows nothing of
// shards; file names appear in errors only.
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

// Returns a record of encoding kIndexed: the number of access points (places at which decoding can
// begin), their spacing, the points, then the JPEG file.
std::vector<std::uint8_t> with_access_table(const IndexedJpeg& jpeg);

struct TableAndFile {
  jpeg::AccessPoints points;
  std::span<const std::uint8_t> file;
};

// Throws bad_data() (65) for an incomplete table. Only decoding shows whether the table fits its
// file.
TableAndFile split_access_table(std::span<const std::uint8_t> record);

struct Record {
  std::vector<std::uint8_t> bytes;
  ImageSize size;  // 0 x 0: the stored file's header is unreadable
  Encoding encoding = Encoding::kFile;
  Digest checksum{};
  std::string fault;  // the reason why the file does not decode; kJpeg keeps it nevertheless
};

// kJpeg accepts any file: one that does not decode is stored unchanged, and refused when it is
// loaded, as it would be in the tree. The other forms throw bad_sample() (65) for it.
Record make_record(Form form, std::vector<std::uint8_t> file, const std::string& name);

// Returns an image's size after its shorter side is reduced to kShorterSide. Images with no longer
// shorter side keep their size.
ImageSize reduced_size(ImageSize size);

// Returns a decoder over the bytes of a record; these and `memory`, which may be null, must outlive
// it. Throws bad_sample() (65) for bytes that are no image.
std::unique_ptr<ImageDecoder> open_record(Encoding encoding, std::span<const std::uint8_t> bytes,
                                          ImageSize size, const std::string& name,
                                          DecoderMemory* memory = nullptr);

// Returns a decoder over pixels that are only read.
std::unique_ptr<ImageDecoder> open_raw(const std::uint8_t* pixels, ImageSize size);

}  // namespace scalemark::data::packed
