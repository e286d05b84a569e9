# generated/build_stamp.h: the facts about the program that `scalemark --version` and every report print.
# The commit is read at build time (a target), not at configure time, so that it is never stale.
file(WRITE "${CMAKE_BINARY_DIR}/generated/version_inputs.cmake" "
set(VERSION \"${PROJECT_VERSION}\")
set(BUILD_TYPE \"${CMAKE_BUILD_TYPE}\")
set(COMPILER \"${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}\")
set(SOURCE_DIR \"${CMAKE_SOURCE_DIR}\")
set(BINARY_DIR \"${CMAKE_BINARY_DIR}\")
")
add_custom_target(scalemark_version
  COMMAND "${CMAKE_COMMAND}" -P "${CMAKE_SOURCE_DIR}/cmake/write_version.cmake" "${CMAKE_BINARY_DIR}/generated/version_inputs.cmake"
  BYPRODUCTS "${CMAKE_BINARY_DIR}/generated/build_stamp.h" COMMENT "version")
