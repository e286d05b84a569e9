#include "core/base/crc32c.h"

#include <bit>
#include <boost/crc.hpp>

namespace scalemark {

std::uint32_t masked_crc32c(std::string_view bytes) {
  constexpr std::uint32_t kPolynomial = 0x1EDC6F41, kAllOnes = 0xFFFFFFFF, kMaskDelta = 0xA282EAD8;
  boost::crc_optimal<32, kPolynomial, kAllOnes, kAllOnes, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return std::rotr(static_cast<std::uint32_t>(crc.checksum()), 15) + kMaskDelta;
}

}  // namespace scalemark
