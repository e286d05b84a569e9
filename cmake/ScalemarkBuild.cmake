# Flags for all our code, and the two functions by which every library and every test is declared.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# All programs and libraries go to build/<preset>/, so that the libraries are found beside the
# program (RUNPATH $ORIGIN) in the build folder, after install and in a bundle alike.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
set(CMAKE_INSTALL_RPATH "$ORIGIN")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # ccache identifies a precompiled header by its content. It gets dependencies from the compiler; otherwise it would
  # preprocess the header, half a gigabyte, for each file.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros "${CCACHE_PROGRAM}")
endif()
find_program(MOLD_PROGRAM mold)

add_library(scalemark_flags INTERFACE)
target_include_directories(scalemark_flags INTERFACE "${CMAKE_SOURCE_DIR}" "${CMAKE_BINARY_DIR}/generated")
target_compile_options(scalemark_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wno-missing-field-initializers>)
# GCC 12 falsely warns of overlapping and of overlong copies in text + std::string (its bug 105651).
target_compile_options(scalemark_flags INTERFACE "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-restrict;-Wno-stringop-overflow>")
# Two checkouts give the same bytes (scripts/release): __FILE__, which torch's macros put into messages, begins at the checkout.
target_compile_options(scalemark_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=>")
# GCC looks for memory to free from 256 MB on, in vain: a file with its headers takes most of a GB, which it all needs. That takes
# a tenth of the time.
target_compile_options(scalemark_flags INTERFACE "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:--param=ggc-min-heapsize=500000>")
if(SCALEMARK_WERROR)
  target_compile_options(scalemark_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
if(MOLD_PROGRAM)
  target_link_options(scalemark_flags INTERFACE -fuse-ld=mold)
endif()
if(SCALEMARK_PORTABLE)  # nvcc names temporary files in symbols, of which the build id is made
  target_link_options(scalemark_flags INTERFACE -s)
endif()
if(SCALEMARK_SANITIZE)
  # GCC 12 warns of std::regex's own members when they are instrumented (GCC bug 105562).
  target_compile_options(scalemark_flags INTERFACE -Wno-maybe-uninitialized)
  target_compile_options(scalemark_flags INTERFACE -fsanitize=${SCALEMARK_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(scalemark_flags INTERFACE -fsanitize=${SCALEMARK_SANITIZE})
endif()

# Targets that own the precompiled headers `standard`, `tests` and `torch`; others reuse them.
function(scalemark_precompile name)
  add_library(scalemark_precompiled_${name} OBJECT "${CMAKE_SOURCE_DIR}/cmake/precompiled/owner.cpp")
  target_link_libraries(scalemark_precompiled_${name} PRIVATE scalemark_flags ${ARGN})
  target_precompile_headers(scalemark_precompiled_${name} PRIVATE "${CMAKE_SOURCE_DIR}/cmake/precompiled/${name}.h")
  # Nobody links the owner's own file, which would take 5 s to load torch's headers and to hold nothing: it is preprocessed only.
  set_source_files_properties("${CMAKE_SOURCE_DIR}/cmake/precompiled/owner.cpp" PROPERTIES COMPILE_OPTIONS -E)
  _scalemark_use_precompiled(scalemark_precompiled_${name})
endfunction()

# GCC uses a precompiled header only where -fPIC is set as for the header: everywhere, test programs included.
function(_scalemark_use_precompiled target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fPIC> $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
endfunction()

# scalemark_reuse_precompiled(<target>...): with torch's headers where the target links LibTorch::cpu, directly or not, with
# GoogleTest's for other tests. Called once all targets are known.
function(scalemark_reuse_precompiled)
  foreach(target ${ARGN})
    _scalemark_links_torch(${target} links_torch)
    set(name standard)
    if(links_torch)
      set(name torch)
    elseif(TARGET scalemark_precompiled_tests)
      get_target_property(links ${target} LINK_LIBRARIES)
      if("GTest::gtest" IN_LIST links)
        set(name tests)
      endif()
    endif()
    target_precompile_headers(${target} REUSE_FROM scalemark_precompiled_${name})
    scalemark_join(${target})
    _scalemark_use_precompiled(${target})
  endforeach()
endfunction()

# Compiles up to SCALEMARK_UNITY files of `target` as one, about as many in each group. GCC spends 4 to 8 s in each file that loads
# torch's headers, 0.5 s where it loads others, whatever stands in it (it instantiates the 14,594 pending functions of torch's
# headers anew), and instantiates JSON's templates in each file that uses them: several files share them.
function(scalemark_join target)
  if(SCALEMARK_UNITY)
    get_target_property(files ${target} SOURCES)
    list(FILTER files INCLUDE REGEX "[.]cpp$")
    list(LENGTH files count)
    math(EXPR groups "(${count} + ${SCALEMARK_UNITY} - 1) / ${SCALEMARK_UNITY}")
    math(EXPR size "(${count} + ${groups} - 1) / ${groups}")
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size})
  endif()
endfunction()

# Whether `target` links LibTorch::cpu, itself or through our own libraries.
function(_scalemark_links_torch target result)
  set(${result} FALSE PARENT_SCOPE)
  get_target_property(links ${target} LINK_LIBRARIES)
  foreach(library ${links})
    if(library MATCHES "^LibTorch::")
      set(${result} TRUE PARENT_SCOPE)
      return()
    endif()
    if(library MATCHES "^scalemark_" AND TARGET ${library})
      get_target_property(type ${library} TYPE)
      if(NOT type STREQUAL "INTERFACE_LIBRARY")
        _scalemark_links_torch(${library} through)
        if(through)
          set(${result} TRUE PARENT_SCOPE)
          return()
        endif()
      endif()
    endif()
  endforeach()
endfunction()

# scalemark_library(<name> [COLD] SOURCES ... [DEPENDS ...] [PRIVATE ...])
# A static library `scalemark_<name>`. DEPENDS: libraries and interfaces that its headers include;
# PRIVATE: other libraries that only its .cpp files use. COLD: its code runs a few times per run, so it is compiled
# with -O1, which takes a third less time.
function(scalemark_library name)
  cmake_parse_arguments(ARG "COLD" "" "SOURCES;DEPENDS;PRIVATE" ${ARGN})
  add_library(scalemark_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(scalemark_${name} PUBLIC scalemark_flags ${ARG_DEPENDS} PRIVATE ${ARG_PRIVATE})
  if(ARG_COLD)
    scalemark_optimise(scalemark_${name} 1)
  endif()
  set_property(GLOBAL APPEND PROPERTY SCALEMARK_PRECOMPILED scalemark_${name})
endfunction()

# Names a shared library, libscalemark_engine-2.11.so, by the minor version of torch that it was built for: the program loads that
# of the torch that it finds (core/base/plugin.h).
function(scalemark_of_this_torch target)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME "${target}-${SCALEMARK_TORCH_MINOR}")
endfunction()

# Compiles `target` with -O<level> in place of Release's -O3. GCC warns falsely of uninitialised members where it inlines less.
function(scalemark_optimise target level)
  target_compile_options(${target} PRIVATE "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O${level};-Wno-maybe-uninitialized>")
endfunction()

# scalemark_test(<program> LABEL unit|torch|... SOURCES ... LINKS ... [DEFINES ...] [TIMEOUT seconds] [ALONE suites...])
# Adds files to a GoogleTest program, which the first call makes. The suites of a folder's files that have the label unit,
# torch or nullgpu are one ctest entry `<program>.<folder>`, since each process loads torch anew and ctest itself takes time for
# each entry. Suites with other labels wait for processes, and those that are ALONE compute for long, while others can go
# on: each is an entry `<program>.<Suite>`. Tests of an entry share a process, so they leave variables and limits as they found them.
# The default TIMEOUT is for hangs: whatever else runs, no entry of CI takes as long.
function(scalemark_test program)
  cmake_parse_arguments(ARG "" "LABEL;TIMEOUT" "SOURCES;LINKS;DEFINES;ALONE" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 1800)
  endif()
  if(NOT TARGET ${program})
    add_executable(${program} "${CMAKE_SOURCE_DIR}/tests/test_main.cpp")
    set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
    target_link_libraries(${program} PRIVATE GTest::gtest)
    target_compile_definitions(${program} PRIVATE
      SCALEMARK_TEST_DATA="${SCALEMARK_TEST_DATA}" SCALEMARK_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
      SCALEMARK_BINARY_DIR="${CMAKE_BINARY_DIR}")
    scalemark_optimise(${program} g)  # a fifth less time than -O1; what tests call is as fast as ever
    set_property(GLOBAL APPEND PROPERTY SCALEMARK_PRECOMPILED ${program})
  endif()
  target_sources(${program} PRIVATE ${ARG_SOURCES})
  target_link_libraries(${program} PRIVATE ${ARG_LINKS})
  target_compile_definitions(${program} PRIVATE ${ARG_DEFINES})

  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME folder)
  _scalemark_suites(suites ${ARG_SOURCES})
  foreach(suite ${ARG_ALONE})
    if(NOT suite IN_LIST suites)
      message(FATAL_ERROR "ALONE names suite ${suite}, which no file of the call defines")
    endif()
  endforeach()
  foreach(suite ${suites})
    get_property(label GLOBAL PROPERTY SCALEMARK_LABEL_OF_${program}.${suite})
    if(label)  # its tests are in several files
      if(NOT label STREQUAL ARG_LABEL)
        message(FATAL_ERROR "suite ${suite} of ${program} has tests with the labels ${label} and ${ARG_LABEL}: its entry has one")
      endif()
      continue()
    endif()
    set_property(GLOBAL PROPERTY SCALEMARK_LABEL_OF_${program}.${suite} "${ARG_LABEL}")
    set(entry ${suite})
    if(ARG_LABEL MATCHES "^(unit|torch|nullgpu)$" AND NOT suite IN_LIST ARG_ALONE)
      set(entry ${folder})
    endif()
    # The other two forms are suites with parameters and with types.
    set_property(TARGET ${program} APPEND PROPERTY SUITES_OF_${entry} "${suite}.*" "*/${suite}.*" "${suite}/*.*")
    if(NOT TEST ${program}.${entry})
      add_test(NAME ${program}.${entry} COMMAND ${program} "--gtest_filter=$<JOIN:$<TARGET_PROPERTY:${program},SUITES_OF_${entry}>,:>")
      set_tests_properties(${program}.${entry} PROPERTIES LABELS "${ARG_LABEL}" TIMEOUT ${ARG_TIMEOUT} SKIP_RETURN_CODE 77)
    endif()
  endforeach()
endfunction()

# The GoogleTest suites that `ARGN` define, each once. A file that gains one is configured anew.
function(_scalemark_suites result)
  set(suites "")
  foreach(source ${ARGN})
    file(STRINGS "${source}" lines REGEX "^(TYPED_)?TEST(_F|_P)?\\(")
    list(TRANSFORM lines REPLACE "^[A-Z_]+\\(([A-Za-z0-9_]+).*" "\\1")
    list(APPEND suites ${lines})
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    set_property(DIRECTORY "${CMAKE_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
  endforeach()
  list(REMOVE_DUPLICATES suites)
  set(${result} "${suites}" PARENT_SCOPE)
endfunction()

# scalemark_python_test(<name> LABEL ... SCRIPT file.py [ARGS ...] [TIMEOUT seconds] [COST seconds])
# A Python script run with the project's interpreter (.venv); exit code 77 means skipped, the reason printed. ctest begins with
# the entries of the largest COST: one that takes minutes names them, else it runs alone at the end while CPUs idle.
function(scalemark_python_test name)
  cmake_parse_arguments(ARG "" "LABEL;SCRIPT;TIMEOUT;COST" "ARGS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 1800)
  endif()
  add_test(NAME ${name} COMMAND "${SCALEMARK_PYTHON}" "${CMAKE_CURRENT_SOURCE_DIR}/${ARG_SCRIPT}" ${ARG_ARGS})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABEL}" TIMEOUT ${ARG_TIMEOUT} SKIP_RETURN_CODE 77
    ENVIRONMENT "SCALEMARK_TEST_DATA=${SCALEMARK_TEST_DATA};SCALEMARK_BINARY_DIR=${CMAKE_BINARY_DIR};SCALEMARK_SOURCE_DIR=${CMAKE_SOURCE_DIR};PYTHONPATH=${CMAKE_SOURCE_DIR}/tests/python")
  if(ARG_COST)
    set_tests_properties(${name} PROPERTIES COST ${ARG_COST})
  endif()
endfunction()
