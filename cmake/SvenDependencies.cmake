# Everything that Sven links against; docs/dependencies.md says what for.
# Installed beside the package too, so that both find the same things.

if(NOT TARGET Eigen3::Eigen)
  find_package(Eigen3 3.4 REQUIRED NO_MODULE)
endif()
if(NOT TARGET fmt::fmt)
  find_package(fmt REQUIRED)
endif()
if(NOT TARGET ZLIB::ZLIB)
  find_package(ZLIB REQUIRED)
endif()

# Targets for libraries without a CMake package of their own.
function(sven_find_library target library header)
  if(TARGET ${target})
    return()
  endif()
  find_path(${target}_INCLUDE ${header} PATH_SUFFIXES openblas-pthread openblas
            REQUIRED)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE ${${target}_INCLUDE})
  if(library)
    find_library(${target}_LIBRARY ${library} REQUIRED)
    target_link_libraries(${target} INTERFACE ${${target}_LIBRARY})
  endif()
endfunction()

sven_find_library(sven_blas openblas cblas.h)
sven_find_library(sven_lapacke lapacke lapacke.h)
sven_find_library(sven_sleef sleef sleef.h)
if(NOT TARGET sven_lapack)
  # LAPACKE only wraps; OpenBLAS brings LAPACK itself.
  add_library(sven_lapack INTERFACE IMPORTED GLOBAL)
  target_link_libraries(sven_lapack INTERFACE sven_lapacke sven_blas)
endif()
