// FNV-1a, 64 bits, for equality and no secrets: the same on every machine, which std::hash does not
// promise. http://www.isthe.com/chongo/tech/comp/fnv/
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace scalemark {

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

}  // namespace scalemark
