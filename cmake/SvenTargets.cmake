# One static library per folder of include/sven and src.

# Header-only dependencies that only our own sources include.
find_package(nlohmann_json 3.10 REQUIRED)
sven_find_library(sven_random123 "" Random123/philox.h)
sven_find_library(sven_toml "" toml++/toml.h)

# Flags shared by everything we compile. The instruction set is public: Eigen's
# types must be laid out alike in the library and in the programs that use it.
add_library(sven_flags INTERFACE)
if(SVEN_NATIVE)
  target_compile_options(sven_flags INTERFACE -march=native)
endif()
target_compile_definitions(sven_flags INTERFACE EIGEN_MAX_ALIGN_BYTES=32)
if(SVEN_SANITIZE)
  target_compile_options(
    sven_flags INTERFACE -fsanitize=${SVEN_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all)
  target_link_options(sven_flags INTERFACE -fsanitize=${SVEN_SANITIZE})
endif()

# Only for our own sources. -fno-math-errno and -fno-trapping-math change no
# result; they let loops with sqrt and comparisons be vectorised.
add_library(sven_private_flags INTERFACE)
target_compile_options(
  sven_private_flags INTERFACE -Wall -Wextra -Wshadow -Wconversion
                               -Wno-sign-conversion -fopenmp-simd
                               -fno-math-errno -fno-trapping-math -Wno-psabi)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 says these hundreds of times of its own header for AVX-512. What they
  # are meant to find, clang's analyzer and the sanitizers look after.
  target_compile_options(sven_private_flags INTERFACE -Wno-maybe-uninitialized
                                                      -Wno-uninitialized)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # Loops that it does not vectorise need not be said of each.
  target_compile_options(sven_private_flags INTERFACE -Wno-pass-failed)
endif()
if(CMAKE_UNITY_BUILD)
  # g++ takes the sources of a unit for headers, where an unnamed namespace would
  # be a mistake; clang says that what is local to one shadows what is local to
  # another.
  target_compile_options(
    sven_private_flags
    INTERFACE
      $<IF:$<CXX_COMPILER_ID:GNU>,-Wno-subobject-linkage,-Wno-shadow>)
endif()
if(SVEN_WERROR)
  # What g++ says of these depends on the processor that it optimises for.
  target_compile_options(
    sven_private_flags
    INTERFACE -Werror
              "$<$<CXX_COMPILER_ID:GNU>:-Wno-error=array-bounds;-Wno-error=restrict;-Wno-error=stringop-overflow>"
  )
endif()

# For what is compiled more often than run.
if(SVEN_SANITIZE)
  set(SVEN_QUICK_TO_COMPILE -O0)
else()
  set(SVEN_QUICK_TO_COMPILE $<$<CONFIG:Release>:-O1>)
endif()

# sven_add_folder(nn DEPENDS core LINK_PUBLIC ... LINK_PRIVATE ...)
#
# The headers of the folder are reached through a folder of links that holds
# nothing else, so that including a header of a later folder does not compile.
function(sven_add_folder folder)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_PUBLIC;LINK_PRIVATE" ${ARGN})
  set(target sven_${folder})
  set(view ${PROJECT_BINARY_DIR}/include/${folder})
  file(MAKE_DIRECTORY ${view}/sven)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/include/sven/${folder}
       ${view}/sven/${folder} SYMBOLIC)

  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${folder}/*.cc)
  add_library(${target} ${sources})
  add_library(sven::${folder} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${folder})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(
    ${target}
    PUBLIC $<BUILD_INTERFACE:${view}>
           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src/${folder})
  foreach(dependency ${ARG_DEPENDS})
    target_link_libraries(${target} PUBLIC sven_${dependency})
  endforeach()
  target_link_libraries(
    ${target}
    PUBLIC sven_flags ${ARG_LINK_PUBLIC}
    PRIVATE $<BUILD_INTERFACE:sven_private_flags>)
  foreach(library ${ARG_LINK_PRIVATE})
    if(library MATCHES "random123|json|toml")
      # Header-only: nothing is left of it in the installed library.
      target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${library}>)
    else()
      target_link_libraries(${target} PRIVATE ${library})
    endif()
  endforeach()
  set_property(GLOBAL APPEND PROPERTY SVEN_FOLDERS ${folder})
endfunction()

# sven_add_umbrella(FOLDER ...): the target sven::sven with these folders, those
# before them, and sven/sven.h.
function(sven_add_umbrella)
  set(view ${PROJECT_BINARY_DIR}/include/umbrella)
  file(MAKE_DIRECTORY ${view}/sven)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/include/sven/sven.h
       ${view}/sven/sven.h SYMBOLIC)
  add_library(sven INTERFACE)
  add_library(sven::sven ALIAS sven)
  target_include_directories(
    sven INTERFACE $<BUILD_INTERFACE:${view}>
                   $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  foreach(folder ${ARGN})
    target_link_libraries(sven INTERFACE sven_${folder})
  endforeach()
endfunction()

# sven_embed_experiments(target NAME ...): the files experiments/NAME.toml as a
# table of names and texts in paper_experiments.h, which the target can include.
function(sven_embed_experiments target)
  set(rows "")
  foreach(name ${ARGN})
    set(path ${PROJECT_SOURCE_DIR}/experiments/${name}.toml)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    file(READ ${path} text)
    string(APPEND rows "    {\"${name}\", R\"toml(${text})toml\"},\n")
  endforeach()
  set(folder ${PROJECT_BINARY_DIR}/experiments)
  file(
    CONFIGURE
    OUTPUT ${folder}/paper_experiments.h
    CONTENT
      "// Made by CMake from experiments/*.toml.
#include <string_view>
#include <utility>
inline constexpr std::pair<std::string_view, std::string_view>
    kPaperExperimentFiles[] = {
@rows@};
"
    @ONLY)
  target_include_directories(${target} PRIVATE ${folder})
endfunction()

# sven_embed_page(target FILE): the text of the file as kReportPage in
# report_page.h, which the target can include.
function(sven_embed_page target file)
  set(path ${PROJECT_SOURCE_DIR}/${file})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  file(READ ${path} page)
  set(folder ${PROJECT_BINARY_DIR}/report)
  file(
    CONFIGURE
    OUTPUT ${folder}/report_page.h
    CONTENT
      "// Made by CMake from @file@.
#include <string_view>
inline constexpr std::string_view kReportPage =
    R\"page(@page@)page\";
"
    @ONLY)
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
