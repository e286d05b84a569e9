#include "engine/process/versions.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <stdio.h>
#include <torch/version.h>

#include <memory>
#include <string>

namespace scalemark::process {
namespace {

// "2.11.0+cpu" beside "2.11.0+cu130" is two versions.
TEST(LoadedTorch, IsNamedAsItsWheelNamesIt) {
  const std::string version = loaded_torch_version();
  EXPECT_TRUE(version.starts_with(std::string(TORCH_VERSION) + "+")) << version;
  EXPECT_EQ(library_versions(false).at("libtorch").running_with, version);
}

// readelf prints "    Build ID: 0123...", of the notes of the file.
std::string build_id_by_readelf(const std::string& file) {
  const std::unique_ptr<FILE, int (*)(FILE*)> notes(popen(("readelf --notes " + file).c_str(), "r"),
                                                    pclose);
  std::string text(4096, '\0');
  text.resize(fread(text.data(), 1, text.size(), notes.get()));
  const auto at = text.find("Build ID: ");
  return at == text.npos ? "" : text.substr(at + 10, text.find('\n', at) - at - 10);
}

TEST(BuildIds, AreThoseThatReadelfPrints) {
  const std::string file = SCALEMARK_BINARY_DIR "/libscalemark_data.so";
  ASSERT_NE(dlopen(file.c_str(), RTLD_LAZY), nullptr) << dlerror();
  const std::string expected = build_id_by_readelf(file);
  ASSERT_EQ(expected.size(), 40u) << expected;
  EXPECT_EQ(build_ids().at("scalemark_data"), expected);
}

}  // namespace
}  // namespace scalemark::process
