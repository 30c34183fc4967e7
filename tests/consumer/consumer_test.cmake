# SPDX-License-Identifier: Apache-2.0
# Install, build by find_package, build by pkg-config, run both.
# Arguments: BUILD PROJECT WORK CXX FLAGS LIBDIR PKG_CONFIG GENERATOR.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code
    OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "failed (${code}): ${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
set(prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})

run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${PROJECT} -B ${WORK}/by-cmake
  -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${CXX}
  -DCMAKE_CXX_FLAGS=${FLAGS})
run(${CMAKE_COMMAND} --build ${WORK}/by-cmake)
run(${WORK}/by-cmake/consumer)
set(by_cmake "${output}")

set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
run(${PKG_CONFIG} --cflags --libs --static sbog)
separate_arguments(options UNIX_COMMAND "${output}")
run(${CXX} ${FLAGS} ${PROJECT}/main.cpp -o ${WORK}/by-pkg-config ${options})
run(${WORK}/by-pkg-config)
if(NOT output STREQUAL by_cmake)
  message(FATAL_ERROR "two answers:\n${by_cmake}${output}")
endif()

run(${prefix}/bin/sbog --version)
foreach(page man/man1/sbog.1 bash-completion/completions/sbog
    zsh/site-functions/_sbog fish/vendor_completions.d/sbog.fish)
  if(NOT EXISTS ${prefix}/share/${page})
    message(FATAL_ERROR "share/${page} was not installed")
  endif()
endforeach()
file(REMOVE_RECURSE ${WORK})
