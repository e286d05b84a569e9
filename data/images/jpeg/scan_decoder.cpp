#include "data/images/jpeg/scan_decoder.h"

#include <algorithm>
#include <limits>

#include "data/images/jpeg/scan_loops.h"

namespace scalemark::data::jpeg {
namespace {

constexpr std::uint32_t kBlocksBetween = 32;

// Counts bytes of the data without the zeros that follow 0xff.
class DataCursor {
 public:
  explicit DataCursor(std::span<const std::uint8_t> data) : data_(data) {}

  // Moves forward only. Returns that byte's position in the data.
  std::size_t to(std::uint64_t byte) {
    for (; byte_ < byte && at_ + 1 < data_.size(); ++byte_) at_ += data_[at_] == 0xff ? 2 : 1;
    return at_;
  }

 private:
  std::span<const std::uint8_t> data_;
  std::size_t at_ = 0;
  std::uint64_t byte_ = 0;
};

bool fits(int prediction) {
  return prediction >= std::numeric_limits<std::int16_t>::min() &&
         prediction <= std::numeric_limits<std::int16_t>::max();
}

bool suits(const ScanLayout& layout, std::size_t bytes) {
  const auto& block = layout.block;
  return layout.restart_interval == 0 && bytes <= std::numeric_limits<std::uint32_t>::max() &&
         std::all_of(block.begin(), block.begin() + layout.blocks,
                     [](const BlockPlan& plan) { return plan.component < kMostIndexedComponents; });
}

// The decoder must read all data between a point and the requested MCU.
std::uint32_t most_spacing(const ScanLayout& layout) {
  return std::max(1U, kBlocksBetween / layout.blocks);
}

}  // namespace

bool fit(const AccessPoints& points, const ScanLayout& layout, std::size_t data_bytes) {
  const std::uint32_t spacing = points.spacing;
  if (!suits(layout, data_bytes) || spacing == 0 || spacing > most_spacing(layout)) return false;
  const auto odd = [&](const AccessPoint& point) {
    return point.at >= data_bytes || point.bit > 7;
  };
  const auto before = [](const AccessPoint& a, const AccessPoint& b) { return a.at < b.at; };
  return points.points.size() == (std::size_t{layout.mcus} + spacing - 1) / spacing &&
         std::none_of(points.points.begin(), points.points.end(), odd) &&
         std::is_sorted(points.points.begin(), points.points.end(), before);
}

std::optional<AccessPoints> find_access_points(std::span<const std::uint8_t> data,
                                               const ScanLayout& layout, Segment& segment) {
  if (!suits(layout, data.size())) return std::nullopt;
  AccessPoints found{.spacing = most_spacing(layout)};
  ScanDecoder decoder(data, layout, segment);
  DataCursor cursor(data);
  for (std::uint32_t mcu = 0; mcu < layout.mcus; mcu += found.spacing) {
    if (decoder.go_to(mcu, mcu) != ScanFault::kNone) return std::nullopt;
    AccessPoint& point = found.points.emplace_back();
    point.at = static_cast<std::uint32_t>(cursor.to(decoder.bits_read() / 8));
    point.bit = static_cast<std::uint16_t>(decoder.bits_read() % 8);
    for (std::size_t c = 0; c < kMostIndexedComponents; ++c) {
      if (!fits(decoder.predictions()[c])) return std::nullopt;
      point.dc[c] = static_cast<std::int16_t>(decoder.predictions()[c]);
    }
  }
  if (decoder.go_to(layout.mcus, layout.mcus) != ScanFault::kNone) return std::nullopt;
  return found;
}

ScanDecoder::ScanDecoder(std::span<const std::uint8_t> data, const ScanLayout& layout,
                         Segment& segment, const AccessPoints* points)
    : data_(data), layout_(layout), segment_(segment), points_(points) {
  if (points_ == nullptr) begin_segment(data, 0);
}

void ScanDecoder::begin_segment(std::span<const std::uint8_t> data, unsigned bit) {
  segment_.read(data);
  place_ = {};
  place_.reader.begin(segment_.bytes.data(), bit);
}

ScanFault ScanDecoder::go_to(std::uint32_t first, std::uint32_t end) {
  if (points_ != nullptr) jump(first, end);
  return read_over(first);
}

// Jumps to the last point before `first`. The prepared bits end after `end`, with the byte of the
// point there.
void ScanDecoder::jump(std::uint32_t first, std::uint32_t end) {
  const auto& points = points_->points;
  const std::size_t from = std::min<std::size_t>(first / points_->spacing, points.size() - 1);
  const std::size_t to = (std::size_t{end} + points_->spacing - 1) / points_->spacing;
  const std::size_t begin = points[from].at;
  constexpr std::size_t kByte = 2;  // 0xff is followed by a zero.
  const std::size_t data_end =
      to < points.size() ? std::min(points[to].at + kByte, data_.size()) : data_.size();
  begin_segment(data_.subspan(begin, data_end - begin), points[from].bit);
  std::copy(std::begin(points[from].dc), std::end(points[from].dc), place_.dc.begin());
  next_ = static_cast<std::uint32_t>(from) * points_->spacing;
}

ScanFault ScanDecoder::decode(Block* const* blocks) {
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

// ITU T.81, E.2.4: restart markers count from 0 to 7, repeatedly.
ScanFault ScanDecoder::restart() {
  constexpr unsigned kFirst = 0xd0;
  const std::uint8_t* const end = data_.data() + data_.size();
  const unsigned due = kFirst + (next_ / layout_.restart_interval - 1) % 8;
  if (end - segment_.marker < 2) return ScanFault::kCutShort;
  if (segment_.marker[1] != due) return ScanFault::kNoRestart;
  begin_segment({segment_.marker + 2, end}, 0);
  return ScanFault::kNone;
}

}  // namespace scalemark::data::jpeg
