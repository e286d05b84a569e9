// What decoding a scan needs beside the file, kept from image to image. Plain data.
#pragma once

#include <array>
#include <memory>

#include "data/images/jpeg/huffman_table.h"
#include "data/images/jpeg/scan_bits.h"

namespace scalemark::data::jpeg {

// Most files of a set have the same tables: those of the image before are kept.
class KeptTable {
 public:
  const HuffmanTable& of(const HuffmanCodes& codes, Coefficients kind) {
    if (table_ == nullptr || codes != codes_) {
      if (table_ == nullptr) table_ = std::make_unique_for_overwrite<HuffmanTable>();
      table_->build(codes, kind);
      codes_ = codes;
    }
    return *table_;
  }

 private:
  HuffmanCodes codes_;
  std::unique_ptr<HuffmanTable> table_;
};

inline constexpr std::size_t kMostTables = 4;  // of a kind: ITU T.81, B.2.4.2

// For one image at a time.
struct ScanMemory {
  Segment segment;
  std::array<KeptTable, kMostTables> dc;
  std::array<KeptTable, kMostTables> ac;
};

}  // namespace scalemark::data::jpeg
