// SHA-256 (FIPS 180-4) of a text, for what must not be guessed back from its digest.
#pragma once

#include <string>
#include <string_view>

namespace scalemark {

// 64 hexadecimal digits.
std::string sha256_hex(std::string_view text);

}  // namespace scalemark
