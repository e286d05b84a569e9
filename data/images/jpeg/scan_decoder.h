// The entropy decoder of sequential Huffman-coded JPEG scans (ITU T.81, F.2), from the beginning or
// from a noted place. Its coefficients equal those of libjpeg-turbo, whose own decoder is slower
// and stores unneeded ones. Knows nothing of libjpeg, markers other than restarts, or pixels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "data/images/jpeg/scan_memory.h"

namespace scalemark::data::jpeg {

// Places in a scan at which decoding can begin, so that a crop need not decode what comes before
// it.

inline constexpr std::size_t kMostIndexedComponents = 3;

struct AccessPoint {
  std::uint32_t at = 0;   // byte of the scan's data, counting the zeros that follow 0xff
  std::uint16_t bit = 0;  // counted from the byte's highest bit
  std::int16_t dc[kMostIndexedComponents] = {};  // predictions
};

struct AccessPoints {
  std::uint32_t spacing = 0;        // MCUs
  std::vector<AccessPoint> points;  // points[i] is where MCU i * spacing begins
};

inline constexpr std::size_t kMostComponents = 4;
inline constexpr std::size_t kMostBlocks = 10;  // the most in an MCU: ITU T.81, B.2.3

struct BlockPlan {
  const HuffmanTable* dc = nullptr;
  const HuffmanTable* ac = nullptr;
  unsigned component = 0;
};

struct ScanLayout {
  std::uint32_t mcus = 0;              // MCUs of the whole scan
  std::uint32_t restart_interval = 0;  // MCUs; 0: no restart markers
  unsigned blocks = 0;                 // blocks in an MCU, at most kMostBlocks
  std::array<BlockPlan, kMostBlocks> block = {};
};

enum class ScanFault {
  kNone,
  kBadCode,    // bits that are no code
  kCutShort,   // the data end, or a marker comes, before the coefficients are complete
  kNoRestart,  // another marker than the restart that is due
};

// The coefficients are in natural order, not dequantised.
using Block = std::int16_t[64];

// The decoder's current place in the scan. Plain data.
struct ScanPlace {
  BitReader reader;
  std::array<int, kMostComponents> dc = {};  // predictions
};

class ScanDecoder {
 public:
  // `data` are the scan's bytes and all that follows; `segment` only provides memory. Both and the
  // tables of `layout` must outlive the decoder. `points`, unless null, must fit() the layout and
  // let the decoder jump over MCUs that are not needed.
  ScanDecoder(std::span<const std::uint8_t> data, const ScanLayout& layout, Segment& segment,
              const AccessPoints* points = nullptr);

  std::uint32_t next() const { return next_; }

  // Moves to MCU `first`, which must not be before next(). MCUs up to `end` will be requested then.
  ScanFault go_to(std::uint32_t first, std::uint32_t end);

  // Decodes the coefficients of the next MCU, whose blocks must be zero.
  ScanFault decode(Block* const* blocks);

  // Return the number of bits read of a scan without restarts, and the predictions there.
  std::uint64_t bits_read() const { return place_.reader.read_since(segment_.bytes.data()); }
  const std::array<int, kMostComponents>& predictions() const { return place_.dc; }

  // Returns, once all is read, the 0xff of the marker that ends the data, or the end of the data.
  const std::uint8_t* marker() const { return segment_.marker; }

 private:
  void jump(std::uint32_t first, std::uint32_t end);
  ScanFault read_over(std::uint32_t to);
  ScanFault restart();
  void begin_segment(std::span<const std::uint8_t> data, unsigned bit);
  bool restart_is_due() const {
    return layout_.restart_interval > 0 && next_ > 0 && next_ % layout_.restart_interval == 0;
  }

  std::span<const std::uint8_t> data_;
  ScanLayout layout_;
  Segment& segment_;
  const AccessPoints* points_;
  ScanPlace place_;
  std::uint32_t next_ = 0;  // number of the next MCU
};

// Returns points that are about 32 blocks apart. Returns nothing for a scan that does not decode,
// has restart markers, has more than kMostIndexedComponents, or is too large for a point's numbers.
std::optional<AccessPoints> find_access_points(std::span<const std::uint8_t> data,
                                               const ScanLayout& layout, Segment& segment);

// Whether these can be the points of a scan with so many bytes. Other points could request bytes
// outside the data, or days of work.
bool fit(const AccessPoints& points, const ScanLayout& layout, std::size_t data_bytes);

}  // namespace scalemark::data::jpeg
