#include "core/base/plugin.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/base/elf_notes.h"
#include "core/base/error.h"

namespace scalemark {
namespace {

struct TestApi {
  PluginStamp stamp;
  int (*answer)();
};

Plugin plugin(const char* symbol, const char* abi = "test/1") {
  return {.path = SCALEMARK_TEST_PLUGIN, .symbol = symbol, .abi = abi};
}

std::string refusal(const Plugin& wanted) {
  try {
    open_plugin(wanted);
    return "none";
  } catch (const Error& error) {
    EXPECT_EQ(error.record().exit_code, ExitCode::kSystem);
    return error.record().what + "; " + error.record().expected;
  }
}

TEST(Plugin, GivesTheTableOfTheSameBuild) {
  EXPECT_EQ(open_plugin_as<TestApi>(plugin("same_build")).answer(), 42);
}

TEST(Plugin, RefusesAnotherAbiAndAnotherBuildByName) {
  const std::string own = program_version().git_commit;
  const std::string path = SCALEMARK_TEST_PLUGIN;
  EXPECT_EQ(
      refusal(plugin("same_build", "test/2")),
      path + " is of build " + own + " (test/1); what loads it is of build " + own + " (test/2)");
  EXPECT_EQ(
      refusal(plugin("other_build")),
      path + " is of build 0123456789ab (test/1); what loads it is of build " + own + " (test/1)");
}

TEST(Plugin, SaysWhatIsMissing) {
  EXPECT_EQ(refusal(plugin("nothing")),
            SCALEMARK_TEST_PLUGIN " has no nothing; a library of the same build");
  EXPECT_EQ(refusal({.path = "/nowhere/lib.so", .symbol = "x", .abi = "y"}),
            "/nowhere/lib.so is not there; it must be beside the program");
  EXPECT_EQ(refusal({.path = "/proc/self/exe", .symbol = "x", .abi = "y"}).substr(0, 29),
            "cannot load /proc/self/exe: /");
}

// tests/engine/process/versions_test.cpp compares a build id with readelf's.
TEST(ElfNotes, OfAFileThatEndsAnywhere) {
  const NoteName build_id{.owner = "GNU", .type = 3};
  const auto whole = note_in_file(SCALEMARK_TEST_PLUGIN, build_id);
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(whole->size(), 20u);
  EXPECT_FALSE(note_in_file(SCALEMARK_TEST_PLUGIN, {.owner = "GNU", .type = 99}));
  EXPECT_FALSE(note_in_file("/nowhere/lib.so", build_id));

  std::ifstream file(SCALEMARK_TEST_PLUGIN, std::ios::binary);
  std::string bytes(4096, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  const std::string cut = testing::TempDir() + "cut.so";
  bool seen = false;
  for (std::size_t size = 0; size < bytes.size(); size += 8) {
    std::ofstream(cut, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(size));
    const auto found = note_in_file(cut, build_id);
    EXPECT_TRUE(!found || found == whole) << size;
    EXPECT_TRUE(found || !seen) << size << " bytes hide what fewer held";
    seen = found.has_value();
  }
  EXPECT_TRUE(seen);
}

}  // namespace
}  // namespace scalemark
