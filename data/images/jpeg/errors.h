// A failing libjpeg call returns by a jump to the caller's setjmp. Private to the JPEG decoder and
// encoder.
#pragma once

#include <csetjmp>
#include <cstdio>

// After <cstdio>: jpeglib.h uses FILE and size_t without including them.
#include <jpeglib.h>

namespace scalemark::data {

struct JpegErrorManager {
  jpeg_error_mgr base;  // first: libjpeg hands a pointer to it back
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX] = {};

  // Fills in libjpeg's own functions, except that an error jumps.
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

}  // namespace scalemark::data
