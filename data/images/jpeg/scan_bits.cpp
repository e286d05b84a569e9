#include "data/images/jpeg/scan_bits.h"

namespace scalemark::data::jpeg {

// ITU T.81, B.1.1.2 and B.1.1.5: 0xff 0x00 stands for 0xff; before a marker further 0xff may stand.
void Segment::read(std::span<const std::uint8_t> data) {
  if (bytes.size() < data.size() + kBlockMargin) bytes.resize(data.size() + kBlockMargin);
  std::uint8_t* to = bytes.data();
  const std::uint8_t* from = data.data();
  const std::uint8_t* const end = from + data.size();
  marker = end;
  while (from < end) {
    const auto left = static_cast<std::size_t>(end - from);
    const auto* const found = static_cast<const std::uint8_t*>(std::memchr(from, 0xff, left));
    const std::size_t plain = found == nullptr ? left : static_cast<std::size_t>(found - from);
    std::memcpy(to, from, plain);
    to += plain;
    from += plain;
    if (found == nullptr) break;
    while (from + 1 < end && from[1] == 0xff) ++from;
    if (from + 1 >= end || from[1] != 0) {
      marker = from;
      break;
    }
    *to++ = 0xff;
    from += 2;
  }
  bits = static_cast<std::uint64_t>(to - bytes.data()) * 8;
  std::memset(to, 0, kBlockMargin);
}

}  // namespace scalemark::data::jpeg
