// The JPEG decoder, an ImageDecoder over libjpeg. Private to decoder.cpp (RGB pixels) and
// decoder_planes.cpp (planes as stored).
#pragma once

#include <array>
#include <csetjmp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/images/codecs.h"
#include "data/images/jpeg/libjpeg.h"
#include "data/images/jpeg/libjpeg_scan.h"

namespace scalemark::data {

class JpegDecoder : public ImageDecoder {
 public:
  // `memory` and `points`, unless null, must outlive the decoder.
  JpegDecoder(std::span<const std::uint8_t> bytes, std::string name, DecoderMemory* memory,
              const jpeg::AccessPoints* points = nullptr);
  ~JpegDecoder() override { jpeg_destroy_decompress(&info_); }
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  ImageSize size() const override {
    return {static_cast<int>(info_.image_width), static_cast<int>(info_.image_height)};
  }

  DecodedRegion decode(const Box& box, int eighths) override;
  bool decode_planes(const Box& box, int eighths, PlanarRegion& region, PlaneWork work) override;

 private:
  // Runs libjpeg calls. An error inside jumps back here, so `step` must hold nothing that a
  // destructor would have to release.
  template <class Step>
  void guarded(const Step& step) {
    if (setjmp(error_.jump) != 0) throw bad_sample(name_, error_.message);
    step();
  }

  void choose_colours();
  void start();
  void refuse_if_cut_short();
  Box scaled_to_eighths(const Box& box, int eighths) const;
  struct Columns {
    int first;
    int count;
  };
  Columns leave_out_columns(const Box& scaled);
  void narrow_components();
  void read_rows(Pixels& pixels);
  void end_if_at_the_bottom();

  bool stores_planes() const;
  bool describe_planes(int eighths, PlanarRegion& region);
  struct Blocks;
  Blocks blocks_of(const Box& box, int eighths, ImageSize scaled) const;
  void leave_out_columns_of(const Blocks& blocks);
  using PlaneBegins = std::array<std::uint8_t*, 3>;
  PlaneBegins lay_out_planes(const Blocks& blocks, PlanarRegion& region) const;
  void read_planes(const Blocks& blocks, PlanarRegion& region, PlaneWork work);

  // The object is not reused for a second image, which would get the first image's tables where its
  // own are missing.
  std::span<const std::uint8_t> bytes_;
  std::string name_;
  DecoderMemory* memory_;
  std::optional<DecoderMemory> own_memory_;  // used where none is passed
  const jpeg::AccessPoints* points_;
  JpegErrorManager error_;
  JpegScanLimit scan_limit_;
  jpeg_decompress_struct info_{};
  jpeg::LibjpegScan scan_;
  bool own_scan_ = false;  // scan_ decodes instead of libjpeg
};

}  // namespace scalemark::data
