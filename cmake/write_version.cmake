# Run at build time: writes generated/build_stamp.h when its contents would change.
include("${CMAKE_ARGV3}")
execute_process(COMMAND git -C "${SOURCE_DIR}" rev-parse --short=12 HEAD OUTPUT_VARIABLE commit
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
execute_process(COMMAND git -C "${SOURCE_DIR}" status --porcelain --untracked-files=no OUTPUT_VARIABLE changes ERROR_QUIET)
if(NOT commit)
  set(commit "unknown")
endif()
if(changes)
  set(dirty "true")
else()
  set(dirty "false")
endif()
set(text "// Generated at build time by cmake/write_version.cmake.
#pragma once
#define SCALEMARK_VERSION \"${VERSION}\"
#define SCALEMARK_GIT_COMMIT \"${commit}\"
#define SCALEMARK_GIT_DIRTY ${dirty}
#define SCALEMARK_BUILD_TYPE \"${BUILD_TYPE}\"
#define SCALEMARK_COMPILER \"${COMPILER}\"
")
set(file "${BINARY_DIR}/generated/build_stamp.h")
set(old "")
if(EXISTS "${file}")
  file(READ "${file}" old)
endif()
if(NOT old STREQUAL text)
  file(WRITE "${file}" "${text}")
endif()
