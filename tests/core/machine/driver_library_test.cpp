#include "core/machine/driver_library.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace scalemark::monitoring {
namespace {

const std::array<std::string, 2> kFolders{"/no/such/folder",
                                          std::string(SCALEMARK_BINARY_DIR) + "/tests"};

TEST(DriverLibrary, IsFoundWhereContainersKeepIt) {
  std::string why;
  EXPECT_NE(open_driver_library("libfake_nvml_whole.so", why, kFolders), nullptr) << why;
}

TEST(DriverLibrary, ThatIsNowhereIsSaidWithThePlaces) {
  std::string why;
  EXPECT_EQ(open_driver_library("libno-such.so.1", why, kFolders), nullptr);
  EXPECT_NE(why.find("libno-such.so.1"), std::string::npos) << why;
  EXPECT_NE(why.find("nor in /no/such/folder, " + kFolders[1]), std::string::npos) << why;
}

TEST(DriverLibrary, APathIsOpenedAsItIs) {
  std::string why;
  EXPECT_EQ(open_driver_library("/elsewhere/libfake_nvml_whole.so", why, kFolders), nullptr);
  EXPECT_EQ(why.find("nor in"), std::string::npos) << why;
}

TEST(DriverLibrary, TheUsualPlacesAreThoseOfContainersAndWsl) {
  const auto folders = driver_folders();
  for (const char* folder : {"/usr/local/nvidia/lib64", "/usr/lib/wsl/lib"}) {
    EXPECT_NE(std::ranges::find(folders, folder), folders.end()) << folder;
  }
}

}  // namespace
}  // namespace scalemark::monitoring
