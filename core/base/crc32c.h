// The checksum of the frames that TensorFlow writes around records: event files and TFRecord.
#pragma once

#include <cstdint>
#include <string_view>

namespace scalemark {

// CRC32C, turned and moved so that the checksum of bytes that hold checksums is no checksum
// (tensorflow/core/lib/hash/crc32c.h, "Mask").
std::uint32_t masked_crc32c(std::string_view bytes);

}  // namespace scalemark
