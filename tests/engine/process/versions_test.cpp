#include "engine/process/versions.h"

#include <gtest/gtest.h>

#include "core/base/version.h"

namespace scalemark::process {
namespace {

// "2.11.0+cpu" beside "2.11.0+cu130" is two versions.
TEST(LoadedTorch, IsNamedAsItsWheelNamesIt) {
  const std::string version = loaded_torch_version();
  EXPECT_TRUE(version.starts_with(std::string(kTorchVersion) + "+")) << version;
  EXPECT_EQ(library_versions(false).at("libtorch").running_with, version);
}

}  // namespace
}  // namespace scalemark::process
