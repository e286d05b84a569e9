// How libjpeg is called: a failing call returns by a jump to the caller's setjmp, and files are
// written into our own memory. Private to the JPEG decoder and encoder.
#pragma once

#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

// It must follow <cstdio>: jpeglib.h uses FILE and size_t without including them.
#include <jpeglib.h>

#include "data/images/decode.h"

namespace scalemark::data {

struct JpegErrorManager {
  jpeg_error_mgr base;  // first, since libjpeg passes a pointer to it back
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX] = {};

  // Fills in libjpeg's own functions, but lets an error jump.
  jpeg_error_mgr* install() {
    jpeg_std_error(&base);
    base.error_exit = leave;
    return &base;
  }

  static void leave(j_common_ptr info) {
    auto* manager = reinterpret_cast<JpegErrorManager*>(info->err);
    info->err->format_message(info, manager->message);
    std::longjmp(manager->jump, 1);
  }
};

// Limits scans like djpeg -maxscans, since a file of a few kilobytes can hold thousands, which take
// minutes.
class JpegScanLimit {
 public:
  // `info` must have a JpegErrorManager; it keeps a pointer to this object.
  void install(jpeg_decompress_struct& info) {
    monitor_.progress_monitor = refuse_many_scans;
    info.progress = &monitor_;
  }

 private:
  static void refuse_many_scans(j_common_ptr info) {
    if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number <= kMaxScans) return;
    auto* errors = reinterpret_cast<JpegErrorManager*>(info->err);
    std::snprintf(errors->message, sizeof errors->message, "more than %d scans", kMaxScans);
    std::longjmp(errors->jump, 1);
  }

  jpeg_progress_mgr monitor_{};
};

// Memory into which a JPEG file is written. When libjpeg's own jpeg_mem_dest() runs out of memory,
// it leaves the caller with freed memory.
class JpegTarget {
 public:
  // `info` must have a JpegErrorManager; it keeps a pointer to this object.
  void install(jpeg_compress_struct& info);

  // Returns the file; call it after jpeg_finish_compress().
  std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  static void begin(j_compress_ptr info);
  static boolean grow(j_compress_ptr info);
  static void end(j_compress_ptr info);

  bool resize(std::size_t bytes) noexcept;
  void offer_from(std::size_t used);

  jpeg_destination_mgr manager_{};
  std::vector<std::uint8_t> bytes_;
};

}  // namespace scalemark::data
