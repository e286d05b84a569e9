// SHA-256 (FIPS 180-4) of a text, for values that a digest must not reveal.
#pragma once

#include <string>
#include <string_view>

namespace scalemark {

// 64 hexadecimal digits.
std::string sha256_hex(std::string_view text);

}  // namespace scalemark
