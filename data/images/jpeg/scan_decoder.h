// The entropy decoder of sequential Huffman-coded JPEG scans (ITU T.81, F.2): the same coefficients
// as libjpeg-turbo's, whose own decoder is slower and stores what nobody needs. Knows nothing of
// libjpeg, markers other than restarts, or pixels.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "data/images/jpeg/huffman_table.h"
#include "data/images/jpeg/scan_bits.h"

namespace scalemark::data::jpeg {

inline constexpr std::size_t kMostComponents = 4;
inline constexpr std::size_t kMostBlocks = 10;  // in an MCU: ITU T.81, B.2.3

struct BlockPlan {
  const HuffmanTable* dc = nullptr;
  const HuffmanTable* ac = nullptr;
  unsigned component = 0;
};

struct ScanLayout {
  std::uint32_t mcus = 0;             // in the whole scan
  std::uint32_t restart_interval = 0;  // in MCUs; 0: no restart markers
  unsigned blocks = 0;                 // in an MCU, at most kMostBlocks
  std::array<BlockPlan, kMostBlocks> block = {};
};

enum class ScanFault {
  kNone,
  kBadCode,    // bits that are no code
  kCutShort,   // the data end, or a marker stands, before the coefficients do
  kNoRestart,  // another marker than the restart that is due
};

// In natural order, not dequantised.
using Block = std::int16_t[64];

// Where decoding stands. Plain data.
struct ScanPlace {
  BitReader reader;
  std::array<int, kMostComponents> dc = {};  // predictions
};

class ScanDecoder {
 public:
  // `segment` is memory only. `data` are the scan's bytes and whatever follows; both must live as
  // long as this, and so must the tables of `layout`.
  ScanDecoder(std::span<const std::uint8_t> data, const ScanLayout& layout, Segment& segment);

  // The coefficients of an MCU, whose blocks must be zero. To be asked for in rising order: MCUs
  // between are read over.
  ScanFault decode(std::uint32_t mcu, Block* const* blocks);

  // Reads over what remains.
  ScanFault finish() { return read_over(layout_.mcus); }
  // The 0xff of the marker before which the data end, once finished; or their end.
  const std::uint8_t* marker() const { return segment_.marker; }

 private:
  ScanFault read_over(std::uint32_t to);
  ScanFault restart();
  void begin_segment(std::span<const std::uint8_t> data);
  bool restart_is_due() const {
    return layout_.restart_interval > 0 && next_ > 0 && next_ % layout_.restart_interval == 0;
  }

  std::span<const std::uint8_t> data_;
  ScanLayout layout_;
  Segment& segment_;
  ScanPlace place_;
  std::uint32_t next_ = 0;  // MCU
};

}  // namespace scalemark::data::jpeg
