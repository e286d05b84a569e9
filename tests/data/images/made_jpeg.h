// JPEG files of every form that libjpeg writes, for tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "data/images/jpeg/libjpeg.h"

namespace scalemark::data {

using Bytes = std::vector<std::uint8_t>;

struct JpegForm {
  int width = 32;
  int height = 32;
  J_COLOR_SPACE stored = JCS_YCbCr;
  int across = 2;  // luma samples for one of chroma
  int down = 2;
  bool progressive = false;
  bool arithmetic = false;
  int restart = 0;  // MCUs
  int quality = 92;
  bool own_tables = false;
  int noise = 0;  // levels
  // Factors of each component, in the place of `across` and `down`; empty: those.
  std::vector<std::pair<int, int>> factors = {};
  bool separate = false;  // a scan for each component
};

// A picture, smooth without noise, whose colours are far from those that RGB would clip.
inline Bytes jpeg_of(const JpegForm& form) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  unsigned char* target = nullptr;
  unsigned long bytes = 0;
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, &target, &bytes);
  info.image_width = static_cast<JDIMENSION>(form.width);
  info.image_height = static_cast<JDIMENSION>(form.height);
  const bool cmyk = form.stored == JCS_CMYK || form.stored == JCS_YCCK;
  const bool grey = form.stored == JCS_GRAYSCALE;
  info.input_components = cmyk ? 4 : grey ? 1 : 3;
  info.in_color_space = cmyk ? JCS_CMYK : grey ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_colorspace(&info, form.stored);
  jpeg_set_quality(&info, form.quality, TRUE);
  info.optimize_coding = form.own_tables ? TRUE : FALSE;
  info.comp_info[0].h_samp_factor = form.across;
  info.comp_info[0].v_samp_factor = form.down;
  for (int c = 1; c < info.num_components; ++c) {
    info.comp_info[c].h_samp_factor = info.comp_info[c].v_samp_factor = 1;
  }
  for (std::size_t c = 0; c < form.factors.size(); ++c) {
    info.comp_info[c].h_samp_factor = form.factors[c].first;
    info.comp_info[c].v_samp_factor = form.factors[c].second;
  }
  std::vector<jpeg_scan_info> scans;
  for (int c = 0; form.separate && c < info.num_components; ++c) {
    scans.push_back({.comps_in_scan = 1, .component_index = {c}, .Ss = 0, .Se = 63});
  }
  if (form.separate) {
    info.scan_info = scans.data();
    info.num_scans = info.num_components;
  }
  if (form.progressive) jpeg_simple_progression(&info);
  info.arith_code = form.arithmetic ? TRUE : FALSE;
  info.restart_interval = static_cast<unsigned>(form.restart);
  jpeg_start_compress(&info, TRUE);
  const auto components = static_cast<std::size_t>(info.input_components);
  std::minstd_rand random(static_cast<unsigned>(form.width + 7 * form.quality));
  Bytes row(static_cast<std::size_t>(form.width) * components);
  while (info.next_scanline < info.image_height) {
    for (std::size_t x = 0; x < row.size(); ++x) {
      const double place = 0.05 * static_cast<double>(x / components);
      const double noise =
          form.noise == 0 ? 0 : static_cast<int>(random() % (2u * form.noise + 1)) - form.noise;
      const double wave =
          std::sin(place + 0.04 * info.next_scanline + static_cast<double>(x % components));
      row[x] = static_cast<std::uint8_t>(std::clamp(128 + 50 * wave + noise, 0.0, 255.0));
    }
    JSAMPROW line = row.data();
    jpeg_write_scanlines(&info, &line, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  const std::unique_ptr<unsigned char, void (*)(void*)> owner(target, std::free);
  return {target, target + bytes};
}

// Sizes, samplings and codings; smooth pictures.
inline std::vector<JpegForm> all_jpeg_forms() {
  std::vector<JpegForm> all;
  for (const auto& [width, height] :
       {std::pair{1, 1}, {2, 3}, {17, 9}, {331, 257}, {30'000, 1}, {1, 30'000}}) {
    for (const auto& [across, down] :
         {std::pair{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}, {4, 2}, {3, 1}}) {
      for (const bool progressive : {false, true}) {
        all.push_back({.width = width,
                       .height = height,
                       .across = across,
                       .down = down,
                       .progressive = progressive});
      }
    }
    for (const auto stored : {JCS_GRAYSCALE, JCS_RGB, JCS_CMYK, JCS_YCCK}) {
      all.push_back({.width = width, .height = height, .stored = stored, .across = 1, .down = 1});
    }
    all.push_back({.width = width, .height = height, .stored = JCS_GRAYSCALE});  // 2 x 2 of one
    all.push_back({.width = width, .height = height, .arithmetic = true});
    all.push_back({.width = width, .height = height, .restart = 3});
  }
  return all;
}

inline std::string text_of(const JpegForm& form) {
  return std::to_string(form.width) + " x " + std::to_string(form.height) + ", " +
         std::to_string(form.across) + " x " + std::to_string(form.down) + ", colours " +
         std::to_string(form.stored) + ", quality " + std::to_string(form.quality) + ", noise " +
         std::to_string(form.noise) + ", restart " + std::to_string(form.restart) +
         (form.progressive ? ", progressive" : "") + (form.arithmetic ? ", arithmetic" : "");
}

}  // namespace scalemark::data
