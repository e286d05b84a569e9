#include "data/images/jpeg/libjpeg_scan.h"

#include <algorithm>

// It extends jpeglib.h and must follow it.
#include <jerror.h>

#ifndef LIBJPEG_TURBO_VERSION
#error "libjpeg-turbo is needed: IJG's libjpeg has another struct jpeg_entropy_decoder"
#endif

// This is from libjpeg's jpegint.h, which is not installed everywhere. These are the first members;
// version 3 has more.
struct jpeg_entropy_decoder {
  void (*start_pass)(j_decompress_ptr info);
  boolean (*decode_mcu)(j_decompress_ptr info, JBLOCKROW* blocks);
  boolean insufficient_data;
};

namespace scalemark::data::jpeg {
namespace {

HuffmanCodes codes_of(const JHUFF_TBL& table) {
  HuffmanCodes codes;
  std::copy(std::begin(table.bits), std::end(table.bits), codes.counts.begin());
  std::copy(std::begin(table.huffval), std::end(table.huffval), codes.symbols.begin());
  return codes;
}

ScanLayout layout_of(const jpeg_decompress_struct& info, ScanMemory& memory) {
  ScanLayout layout{.mcus = info.MCUs_per_row * info.MCU_rows_in_scan,
                    .restart_interval = info.restart_interval,
                    .blocks = static_cast<unsigned>(info.blocks_in_MCU)};
  for (std::size_t b = 0; b < layout.blocks; ++b) {
    const int component = info.MCU_membership[b];
    const jpeg_component_info& coded = *info.cur_comp_info[component];
    const auto dc = static_cast<std::size_t>(coded.dc_tbl_no);
    const auto ac = static_cast<std::size_t>(coded.ac_tbl_no);
    const HuffmanCodes dc_codes = codes_of(*info.dc_huff_tbl_ptrs[dc]);
    const HuffmanCodes ac_codes = codes_of(*info.ac_huff_tbl_ptrs[ac]);
    layout.block[b] = {.dc = &memory.dc[dc].of(dc_codes, Coefficients::kDc),
                       .ac = &memory.ac[ac].of(ac_codes, Coefficients::kAc),
                       .component = static_cast<unsigned>(component)};
  }
  return layout;
}

std::span<const std::uint8_t> data_of(const jpeg_decompress_struct& info,
                                      std::span<const std::uint8_t> bytes) {
  return {info.src->next_input_byte, bytes.data() + bytes.size()};
}

static_assert(kMostTables == NUM_HUFF_TBLS);

bool has_tables(const jpeg_decompress_struct& info) {
  for (int c = 0; c < info.comps_in_scan; ++c) {
    const jpeg_component_info& coded = *info.cur_comp_info[c];
    if (info.dc_huff_tbl_ptrs[coded.dc_tbl_no] == nullptr ||
        info.ac_huff_tbl_ptrs[coded.ac_tbl_no] == nullptr) {
      return false;
    }
  }
  return true;
}

// Accepts one scan of all coefficients with the Huffman codes of ITU T.81, F.2: neither progressive
// nor arithmetic-coded nor lossless, which libjpeg-turbo 3 also reads.
bool suits(jpeg_decompress_struct& info) {
  const bool all_coefficients =
      info.Ss == 0 && info.Se == DCTSIZE2 - 1 && info.Ah == 0 && info.Al == 0;
  return jpeg_has_multiple_scans(&info) == FALSE && info.progressive_mode == FALSE &&
         info.arith_code == FALSE && info.data_precision == 8 && all_coefficients &&
         has_tables(info);
}

}  // namespace

bool LibjpegScan::take_over(jpeg_decompress_struct& info, std::span<const std::uint8_t> bytes,
                            ScanMemory& memory, const AccessPoints* points) {
  if (!suits(info)) return false;
  const auto data = data_of(info, bytes);
  const ScanLayout layout = layout_of(info, memory);
  if (points != nullptr && !fit(*points, layout, data.size())) return false;
  decoder_.emplace(data, layout, memory.segment, points);
  across_ = info.MCUs_per_row;
  asked_ = 0;
  run_end_ = 0;
  needed_ = {.width = static_cast<int>(across_), .height = static_cast<int>(info.MCU_rows_in_scan)};
  info.client_data = this;
  info.entropy->decode_mcu = decode_mcu;
  return true;
}

// libjpeg requests one MCU after the other, with `blocks` null for those that it skips.
boolean LibjpegScan::decode_mcu(j_decompress_ptr info, JBLOCKROW* blocks) {
  auto& scan = *static_cast<LibjpegScan*>(info->client_data);
  const std::uint32_t mcu = scan.asked_++;
  const Box& needed = scan.needed_;
  const int right = static_cast<int>(mcu % scan.across_) - needed.left;
  const int down = static_cast<int>(mcu / scan.across_) - needed.top;
  if (blocks == nullptr || right < 0 || right >= needed.width || down < 0 ||
      down >= needed.height) {
    return TRUE;
  }
  const ScanFault fault = scan.decode(mcu, blocks);
  if (fault != ScanFault::kNone) scan.warn(*info, fault);
  return TRUE;
}

// Prepares a run of needed MCUs: to the right edge of the crop's row, or, in a crop as wide as the
// image, a bounded number, since the rest of the image may be too much.
ScanFault LibjpegScan::decode(std::uint32_t mcu, JBLOCKROW* blocks) {
  constexpr std::uint32_t kMostAtOnce = 512;
  if (mcu >= run_end_ || mcu != decoder_->next()) {
    const auto width = static_cast<std::uint32_t>(needed_.width);
    const auto left = static_cast<std::uint32_t>(needed_.left);
    run_end_ = width < across_ ? mcu - mcu % across_ + left + width : mcu + kMostAtOnce;
    const ScanFault fault = decoder_->go_to(mcu, run_end_);
    if (fault != ScanFault::kNone) return fault;
  }
  return decoder_->decode(blocks);
}

void LibjpegScan::finish(jpeg_decompress_struct& info) {
  const std::uint32_t end = info.MCUs_per_row * info.MCU_rows_in_scan;
  const ScanFault fault = decoder_->go_to(end, end);
  if (fault != ScanFault::kNone) warn(info, fault);
  const std::uint8_t* const marker = decoder_->marker();
  info.src->bytes_in_buffer -= static_cast<std::size_t>(marker - info.src->next_input_byte);
  info.src->next_input_byte = marker;
}

// Warns in libjpeg's words.
void LibjpegScan::warn(jpeg_decompress_struct& info, ScanFault fault) const {
  switch (fault) {
    case ScanFault::kNone:
      return;
    case ScanFault::kBadCode:
      WARNMS(&info, JWRN_HUFF_BAD_CODE);
      return;
    case ScanFault::kCutShort:
      WARNMS(&info, JWRN_HIT_MARKER);
      return;
    case ScanFault::kNoRestart:
      WARNMS2(&info, JWRN_MUST_RESYNC, decoder_->marker()[1],
              static_cast<int>((decoder_->next() / info.restart_interval - 1) % 8));
      return;
  }
}

std::optional<AccessPoints> find_access_points(jpeg_decompress_struct& info,
                                               std::span<const std::uint8_t> bytes,
                                               ScanMemory& memory) {
  if (!suits(info)) return std::nullopt;
  return find_access_points(data_of(info, bytes), layout_of(info, memory), memory.segment);
}

// These members have other names in libjpeg 7's API.
#if JPEG_LIB_VERSION >= 70
int block_size(const jpeg_decompress_struct& info) { return info.min_DCT_v_scaled_size; }
int block_size(const jpeg_component_info& component) { return component.DCT_v_scaled_size; }
#else
int block_size(const jpeg_decompress_struct& info) { return info.min_DCT_scaled_size; }
int block_size(const jpeg_component_info& component) { return component.DCT_scaled_size; }
#endif

int mcu_width(const jpeg_decompress_struct& info) {
  return info.num_components == 1 ? block_size(info) : block_size(info) * info.max_h_samp_factor;
}

}  // namespace scalemark::data::jpeg
