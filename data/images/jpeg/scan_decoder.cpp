#include "data/images/jpeg/scan_decoder.h"

#include <algorithm>

#include "data/images/jpeg/scan_loops.h"

namespace scalemark::data::jpeg {

ScanDecoder::ScanDecoder(std::span<const std::uint8_t> data, const ScanLayout& layout,
                         Segment& segment)
    : data_(data), layout_(layout), segment_(segment) {
  begin_segment(data);
}

void ScanDecoder::begin_segment(std::span<const std::uint8_t> data) {
  segment_.read(data);
  place_ = {};
  place_.reader.begin(segment_.bytes.data(), 0);
}

ScanFault ScanDecoder::decode(std::uint32_t mcu, Block* const* blocks) {
  if (const ScanFault fault = read_over(mcu); fault != ScanFault::kNone) return fault;
  if (restart_is_due()) {
    if (const ScanFault fault = restart(); fault != ScanFault::kNone) return fault;
  }
  ++next_;
  return scan_loops().decode(layout_, segment_, place_, blocks);
}

ScanFault ScanDecoder::read_over(std::uint32_t to) {
  while (next_ < to) {
    if (restart_is_due()) {
      if (const ScanFault fault = restart(); fault != ScanFault::kNone) return fault;
    }
    std::uint32_t count = to - next_;
    if (layout_.restart_interval > 0) {
      count = std::min(count, layout_.restart_interval - next_ % layout_.restart_interval);
    }
    const ScanFault fault = scan_loops().read_over(layout_, segment_, place_, count);
    if (fault != ScanFault::kNone) return fault;
    next_ += count;
  }
  return ScanFault::kNone;
}

// ITU T.81, E.2.4: restart markers count from 0 to 7 and again.
ScanFault ScanDecoder::restart() {
  constexpr unsigned kFirst = 0xd0;
  const std::uint8_t* const end = data_.data() + data_.size();
  const unsigned due = kFirst + (next_ / layout_.restart_interval - 1) % 8;
  if (end - segment_.marker < 2) return ScanFault::kCutShort;
  if (segment_.marker[1] != due) return ScanFault::kNoRestart;
  begin_segment({segment_.marker + 2, end});
  return ScanFault::kNone;
}

}  // namespace scalemark::data::jpeg
