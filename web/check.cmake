# SPDX-License-Identifier: Apache-2.0
# cmake -P check.cmake: fails when dist/ does not fit its sources. Needs no Node.
cmake_minimum_required(VERSION 3.20)

set(web ${CMAKE_CURRENT_LIST_DIR})
file(STRINGS ${web}/dist/SHA256SUMS lines)
set(listed)
foreach(line IN LISTS lines)
  string(SUBSTRING "${line}" 0 64 expected)
  string(SUBSTRING "${line}" 66 -1 path)
  list(APPEND listed "${path}")
  if(NOT EXISTS ${web}/${path})
    message(FATAL_ERROR "web/${path} is missing; run: npm run build")
  endif()
  file(SHA256 ${web}/${path} actual)
  if(NOT actual STREQUAL expected)
    message(FATAL_ERROR "web/dist does not fit web/${path}; "
                        "run: npm run build")
  endif()
endforeach()

file(GLOB_RECURSE expected RELATIVE ${web} ${web}/src/*)
list(APPEND expected build.mjs package-lock.json package.json sources.mjs
     tsconfig.json dist/report.html)
list(SORT expected)
list(SORT listed)
if(NOT expected STREQUAL listed)
  message(FATAL_ERROR "web/dist/SHA256SUMS does not list every source; "
                      "run: npm run build")
endif()
