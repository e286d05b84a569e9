#include "data/augment/opencv_library.h"

#include <dlfcn.h>

#include <filesystem>

#include "core/base/error.h"

namespace scalemark::data {
namespace {

// Whatever loaded this library: the engine, `scalemark data` or a test.
std::filesystem::path folder_of_this_library() {
  Dl_info info = {};
  if (dladdr(reinterpret_cast<const void*>(&load_opencv), &info) == 0 ||
      info.dli_fname == nullptr) {
    throw bug("dladdr does not know libscalemark_data.so");
  }
  return std::filesystem::absolute(info.dli_fname).parent_path();
}

}  // namespace

const OpencvApi& load_opencv() {
  return open_part_as<OpencvApi>(
      {.path = folder_of_this_library() / "libscalemark_opencv.so",
       .symbol = "scalemark_opencv_api",
       .abi = kOpencvAbi,
       .advice = "`apt-get install libopencv-core406 libopencv-imgproc406` (before building: "
                 "libopencv-core-dev libopencv-imgproc-dev), or use --augment basic"});
}

}  // namespace scalemark::data
