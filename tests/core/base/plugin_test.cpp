#include "core/base/plugin.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace scalemark
