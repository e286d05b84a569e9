// The entropy decoder of sequential Huffman-coded JPEG scans (ITU T.81, F.2), from the beginning or
// from a place that was noted before: the same coefficients as libjpeg-turbo's, whose own decoder
// is slower and stores what nobody needs. Knows nothing of libjpeg, markers other than restarts, or
// pixels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "data/images/jpeg/scan_memory.h"

namespace scalemark::data::jpeg {

// Places in a scan at which decoding can begin, so that a crop does not wait for what stands before
// it.

inline constexpr std::size_t kMostIndexedComponents = 3;

struct AccessPoint {
  std::uint32_t at = 0;   // byte of the scan's data, counted with the zeros behind 0xff
  std::uint16_t bit = 0;  // counted from the byte's highest bit
  std::int16_t dc[kMostIndexedComponents] = {};  // predictions
};

struct AccessPoints {
  std::uint32_t spacing = 0;        // MCUs
  std::vector<AccessPoint> points;  // points[i] is where MCU i * spacing begins
};

inline constexpr std::size_t kMostComponents = 4;
inline constexpr std::size_t kMostBlocks = 10;  // in an MCU: ITU T.81, B.2.3

struct BlockPlan {
  const HuffmanTable* dc = nullptr;
  const HuffmanTable* ac = nullptr;
  unsigned component = 0;
};

struct ScanLayout {
  std::uint32_t mcus = 0;              // in the whole scan
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
  // `data` are the scan's bytes and whatever follows; `segment` is memory only. Both must live as
  // long as this, and so must the tables of `layout`. `points`, unless null, must fit() the
  // layout: with them MCUs that nobody asks for are jumped over.
  ScanDecoder(std::span<const std::uint8_t> data, const ScanLayout& layout, Segment& segment,
              const AccessPoints* points = nullptr);

  std::uint32_t next() const { return next_; }

  // To MCU `first`, not before next(); those up to `end` are asked for then.
  ScanFault go_to(std::uint32_t first, std::uint32_t end);

  // The coefficients of the next MCU, whose blocks must be zero.
  ScanFault decode(Block* const* blocks);

  // The bits that have been read of a scan without restarts, and the predictions there.
  std::uint64_t bits_read() const { return place_.reader.read_since(segment_.bytes.data()); }
  const std::array<int, kMostComponents>& predictions() const { return place_.dc; }

  // The 0xff of the marker before which the data end, once all has been read; or their end.
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
  std::uint32_t next_ = 0;  // MCU
};

// So that they are about 32 blocks apart. Absent for a scan that does not decode, has restart
// markers, more than kMostIndexedComponents, or is larger than a point can tell.
std::optional<AccessPoints> find_access_points(std::span<const std::uint8_t> data,
                                               const ScanLayout& layout, Segment& segment);

// Whether they can be the points of a scan of so many bytes. Other points could ask for bytes
// outside the data, or for days of work.
bool fit(const AccessPoints& points, const ScanLayout& layout, std::size_t data_bytes);

}  // namespace scalemark::data::jpeg
