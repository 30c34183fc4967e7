# SPDX-License-Identifier: Apache-2.0
# How every target of the project is compiled.
include(GNUInstallDirs)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

find_program(SBOG_CCACHE ccache)
if(SBOG_CCACHE)
  # With these, files that use a precompiled header are cached as well, a second
  # clone of the project finds what the first one compiled, and no source goes
  # through the preprocessor twice.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    ${SBOG_CCACHE})
endif()

add_library(sbog_compile INTERFACE)
# No contraction behind our back: a fused multiply-add is written as one, so
# that results do not depend on what the optimiser happened to fuse.
target_compile_options(sbog_compile INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
  -Wcast-qual -Wformat=2 -Werror -ffp-contract=off)
# GCC 12 sees an overlap in "text" + std::to_string(n) that cannot be.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(sbog_compile INTERFACE -Wno-restrict -fpch-preprocess)
  # In a group of sources GCC takes all but the first for headers.
  target_compile_options(sbog_compile INTERFACE -Wno-subobject-linkage)
else()
  # In a group of sources clang sees the names of one shadow those of another.
  target_compile_options(sbog_compile INTERFACE -Wno-shadow)
endif()
if(SBOG_SANITIZE)
  # Reports need lines, not variables: -g1 compiles in three quarters the time.
  target_compile_options(sbog_compile INTERFACE
    -fsanitize=${SBOG_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer -O1 -g1)
  # The address sanitizer finds what these two find, and they double the code.
  if(SBOG_SANITIZE MATCHES "address")
    target_compile_options(sbog_compile INTERFACE
      -fno-sanitize=null,object-size)
  endif()
  # Sanitizers make GCC 12 see uninitialised values in <regex>.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(sbog_compile INTERFACE -Wno-maybe-uninitialized)
  endif()
  target_link_options(sbog_compile INTERFACE -fsanitize=${SBOG_SANITIZE})
  target_compile_definitions(sbog_compile INTERFACE SBOG_ENABLE_ASSERT=1)
elseif(CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_definitions(sbog_compile INTERFACE SBOG_ENABLE_ASSERT=1)
endif()
