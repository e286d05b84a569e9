// A hash by which ranks and reports recognise the same data (not a cryptographic one).
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace scalemark::data {

// FNV-1a, 64 bits. Source: draft-eastlake-fnv.
class ContentHash {
 public:
  void add(std::string_view bytes) {
    for (const char c : bytes) {
      state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
  }
  void add(std::uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) {
      state_ = (state_ ^ ((number >> shift) & 0xff)) * 0x100000001b3;
    }
  }
  std::string hex() const {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(state_));
    return text;
  }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325;
};

}  // namespace scalemark::data
