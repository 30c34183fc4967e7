# SPDX-License-Identifier: Apache-2.0
# Finds LibTorch and offers it as sbog_libtorch. Its own CMake package asks for
# libraries that a CPU build does not need, so headers and libraries are looked
# up here. As C++20 the headers of LibTorch 1.13 compile with GCC, but not with
# clang 14 and the vectors of libstdc++ 12.
find_path(SBOG_TORCH_INCLUDE torch/script.h)
find_path(SBOG_TORCH_API_INCLUDE torch/torch.h
  PATH_SUFFIXES torch/csrc/api/include)
find_library(SBOG_TORCH_LIBRARY torch)
find_library(SBOG_TORCH_CPU_LIBRARY torch_cpu)
find_library(SBOG_C10_LIBRARY c10)
if(SBOG_TORCH_INCLUDE AND SBOG_TORCH_API_INCLUDE AND SBOG_TORCH_LIBRARY
   AND SBOG_TORCH_CPU_LIBRARY AND SBOG_C10_LIBRARY
   AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(SBOG_TORCH_FOUND ON)
else()
  set(SBOG_TORCH_FOUND OFF)
endif()
option(SBOG_WITH_TORCH "Build the rooms that use LibTorch" ${SBOG_TORCH_FOUND})
if(SBOG_WITH_TORCH)
  if(NOT SBOG_TORCH_FOUND)
    message(FATAL_ERROR
      "SBOG_WITH_TORCH is ON, but it needs LibTorch (libtorch-dev) and GCC")
  endif()
  add_library(sbog_libtorch INTERFACE)
  target_include_directories(sbog_libtorch SYSTEM INTERFACE
    ${SBOG_TORCH_INCLUDE} ${SBOG_TORCH_API_INCLUDE})
  target_link_libraries(sbog_libtorch INTERFACE
    ${SBOG_TORCH_LIBRARY} ${SBOG_TORCH_CPU_LIBRARY} ${SBOG_C10_LIBRARY})
endif()
