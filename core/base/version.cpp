#include "core/base/version.h"

#include "build_stamp.h"

namespace scalemark {

Version program_version() {
  return {.version = SCALEMARK_VERSION,
          .git_commit = SCALEMARK_GIT_COMMIT,
          .git_dirty = SCALEMARK_GIT_DIRTY,
          .build_type = SCALEMARK_BUILD_TYPE,
          .compiler = SCALEMARK_COMPILER};
}

}  // namespace scalemark
