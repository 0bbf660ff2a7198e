// SPDX-License-Identifier: MIT
//
// Files that are written whole or not at all, and the errors of files that
// cannot be used, which open with the path and close with a hint:
//
//   x.csv: cannot open: No such file or directory; check the path
#ifndef SVEN_BASE_ATOMIC_FILE_H_
#define SVEN_BASE_ATOMIC_FILE_H_

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace sven {

// Writes the pieces, one after the other, to a temporary file in the same
// folder, which takes the place of `path` once it is safe on the disk. If that
// fails (DataError; disk full, no such folder), or if the process dies
// meanwhile, whatever stood at `path` before is still there, whole. A file that
// is replaced passes on its permissions. A symbolic link to a file is followed;
// a device, a pipe or a folder is refused.
//
// Pieces, so that nobody has to join gigabytes in memory first.
void WriteFileAtomically(const std::filesystem::path& path,
                         std::span<const std::span<const std::byte>> pieces);
void WriteFileAtomically(const std::filesystem::path& path,
                         std::string_view text);

// Removes what writers that were killed left behind in a folder that nobody
// else is writing to.
void RemoveTemporaries(const std::filesystem::path& folder);

// DataError if `path` is a folder, or something that a reader would wait for
// (a device, a pipe, a socket). No file at all is left for the caller to find.
void CheckRegularFile(const std::filesystem::path& path);

// The whole of a text file. DataError if it cannot be read.
std::string ReadTextFile(const std::filesystem::path& path);

// The DataError for a system call that failed with `error`, a value of errno.
[[noreturn]] void ThrowFileError(const std::filesystem::path& path,
                                 std::string_view what, int error);

}  // namespace sven

#endif  // SVEN_BASE_ATOMIC_FILE_H_
