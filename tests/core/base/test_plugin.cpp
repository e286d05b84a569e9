// A part with one table of this build and one of another.
#include "build_stamp.h"
#include "core/base/plugin.h"

namespace {

struct TestApi {
  scalemark::PluginStamp stamp;
  int (*answer)();
};

int answer() { return 42; }

constexpr TestApi kSame{.stamp = {.abi = "test/1", .git_commit = SCALEMARK_GIT_COMMIT},
                        .answer = answer};
constexpr TestApi kOther{.stamp = {.abi = "test/1", .git_commit = "0123456789ab"},
                         .answer = answer};

}  // namespace

extern "C" const void* same_build() { return &kSame; }
extern "C" const void* other_build() { return &kOther; }
