// Digests of texts: a checksum of frames, a hash for equality, and one that reveals nothing; and
// bytes in hexadecimal digits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

namespace scalemark {

// Two small digits for each byte.
inline std::string hexadecimal(std::span<const std::byte> bytes) {
  std::string digits;
  for (const std::byte byte : bytes) {
    digits += "0123456789abcdef"[std::to_integer<int>(byte >> 4)];
    digits += "0123456789abcdef"[std::to_integer<int>(byte & std::byte{15})];
  }
  return digits;
}

// The checksum of the frames that TensorFlow writes around records (event files and TFRecord):
// CRC32C, turned and moved so that the checksum of bytes that hold checksums is no checksum
// (tensorflow/core/lib/hash/crc32c.h, "Mask").
std::uint32_t masked_crc32c(std::string_view bytes);

// FNV-1a, 64 bits, for equality and no secrets: the same on every machine, which std::hash does not
// promise. http://www.isthe.com/chongo/tech/comp/fnv/
inline std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

// The same as 16 hexadecimal digits.
inline std::string fnv1a_hex(std::string_view text) {
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx",
                static_cast<unsigned long long>(fnv1a(text)));
  return digits.data();
}

// SHA-256 (FIPS 180-4) as 64 hexadecimal digits, for values that a digest must not reveal.
std::string sha256_hex(std::string_view text);

}  // namespace scalemark
