# SPDX-License-Identifier: Apache-2.0
# One library target per layer, one test binary per room.

# Compiles the sources of a target in groups of `size`: headers are read once
# for a group.
option(SBOG_UNITY "Compile sources in groups" ON)
function(sbog_unity target size)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${SBOG_UNITY}
    UNITY_BUILD_BATCH_SIZE ${size})
endfunction()

# Code that reads options, moves files and prints has nothing to gain from -O3
# but a longer wait; -Og takes a third less of the compiler's time than -O1. It
# makes GCC 12 see overruns and uninitialised values that cannot be.
function(sbog_glue target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>
    $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds -Wno-stringop-overflow
      -Wno-maybe-uninitialized>)
endfunction()

# Rooms that leave the long loops to kernels or to Eigen.
function(sbog_light target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O2>)
endfunction()

# sbog_add_layer(<room> SOURCES ... [PUBLIC layers...] [PRIVATE libs...])
function(sbog_add_layer room)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  set(target sbog_${room})
  add_library(${target} STATIC ${ARG_SOURCES})
  sbog_unity(${target} 48)
  add_library(sbog::${room} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${room})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PUBLIC ${ARG_PUBLIC}
    PRIVATE $<BUILD_INTERFACE:sbog_compile> ${ARG_PRIVATE})
  set_property(GLOBAL APPEND PROPERTY SBOG_LAYERS ${target})
endfunction()

# For programs that may load LibTorch; see tests/leak_search.cpp.
function(sbog_search_leaks target)
  if(SBOG_WITH_TORCH AND SBOG_SANITIZE MATCHES "address")
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests/leak_search.cpp)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/tests/leak_search.cpp
      PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# sbog_test_headers(<target> HEADERS ... [LIBS ...])
# Headers that several test programs share, precompiled once.
function(sbog_test_headers target)
  cmake_parse_arguments(ARG "" "" "HEADERS;LIBS" ${ARGN})
  add_library(${target} OBJECT ${PROJECT_SOURCE_DIR}/tests/headers.cpp)
  target_link_libraries(${target} PRIVATE ${ARG_LIBS})
  sbog_compile_test(${target})
  target_precompile_headers(${target} PRIVATE ${ARG_HEADERS})
endfunction()

# The flags of a test program; programs that share headers need the same.
# Tests are compiled once and run once: time goes to the compiler.
function(sbog_compile_test target)
  target_link_libraries(${target} PRIVATE sbog_compile
    rapidcheck GTest::gtest GTest::gmock GTest::gtest_main)
  sbog_glue(${target})
  if(SBOG_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)  # half the time of -O1
  endif()
  # The flags for libraries and for programs would differ.
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
endfunction()

# sbog_add_test(<room> LIBS ... SOURCES ... [LABELS ...] [TORCH])
# TORCH: most sources include LibTorch. Sources are compiled in groups: what
# x_test.cpp defines lies in a namespace x_test, so that no two sources of a
# group define the same name.
function(sbog_add_test room)
  cmake_parse_arguments(ARG "TORCH" "" "SOURCES;LIBS;LABELS" ${ARGN})
  set(target ${room}_tests)
  add_executable(${target} ${ARG_SOURCES})
  sbog_unity(${target} 24)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests
    ${PROJECT_BINARY_DIR}/tests)
  target_link_libraries(${target} PRIVATE ${ARG_LIBS})
  sbog_compile_test(${target})
  if(ARG_TORCH)
    target_precompile_headers(${target} REUSE_FROM sbog_torch_test_headers)
  else()
    target_precompile_headers(${target} REUSE_FROM sbog_plain_test_headers)
  endif()
  add_test(NAME ${room} COMMAND ${target})
  set(suppressions ${PROJECT_SOURCE_DIR}/tests/tsan_suppressions.txt)
  set(environment RC_PARAMS=seed=20240917
    TSAN_OPTIONS=halt_on_error=1:suppressions=${suppressions})
  set_tests_properties(${room} PROPERTIES LABELS "${room};${ARG_LABELS}"
    ENVIRONMENT "${environment}")
endfunction()

# Sources with SIMD kernels of Highway. Two instruction sets are left out: below
# SSE4, and beyond AVX-512 F/BW/DQ/VL, nothing here gets faster, and fewer
# targets compile in less time. Of -O3 they need that loops over a tile are
# unrolled, and nothing else (clang has no such flag). Under sanitizers their
# pointers are not asked whether they are null or aligned, since the address
# sanitizer looks at each access anyway: that halves the time of the compiler.
if(SBOG_SANITIZE MATCHES "undefined")
  set(SBOG_KERNEL_CHECKS
    "-fno-sanitize=null$<COMMA>object-size$<COMMA>alignment$<COMMA>vptr")
endif()
function(sbog_kernel_sources)
  set_source_files_properties(${ARGN} PROPERTIES
    COMPILE_DEFINITIONS "HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_AVX3_DL)"
    COMPILE_OPTIONS
      "$<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-O2;-fpeel-loops>;${SBOG_KERNEL_CHECKS}"
    SKIP_UNITY_BUILD_INCLUSION ON)  # each includes itself once per target
endfunction()
