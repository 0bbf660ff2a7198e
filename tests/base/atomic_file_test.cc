// SPDX-License-Identifier: MIT
#include "sven/base/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>
#include <vector>

#include "sven/base/error.h"
#include "testing/child_process.h"
#include "testing/files.h"

namespace sven::atomic_file_test {
namespace {

namespace fs = std::filesystem;
using testing::DataErrorOf;
using testing::InChildProcess;
using testing::StepDown;
using testing::TemporaryFolder;

void Write(const fs::path& path,
           std::initializer_list<std::string_view> texts) {
  std::vector<std::span<const std::byte>> pieces;
  for (const std::string_view text : texts) {
    pieces.push_back(std::as_bytes(std::span(text)));
  }
  WriteFileAtomically(path, pieces);
}

std::string Read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(AtomicFile, PiecesAreWrittenOneAfterTheOther) {
  const TemporaryFolder folder;
  Write(folder / "none", {});
  EXPECT_TRUE(fs::exists(folder / "none"));
  EXPECT_EQ(Read(folder / "none"), "");
  Write(folder / "some", {"a\n", "", "b"});
  EXPECT_EQ(Read(folder / "some"), "a\nb");
  EXPECT_EQ(folder.CountFiles(), 2);
}

TEST(AtomicFile, AShorterFileReplacesALongerOneWhole) {
  const TemporaryFolder folder;
  Write(folder / "x", {"a long text"});
  Write(folder / "x", {"short"});
  EXPECT_EQ(Read(folder / "x"), "short");
  EXPECT_EQ(folder.CountFiles(), 1);
}

TEST(AtomicFile, OverwritingKeepsPermissionsAndLinks) {
  const TemporaryFolder folder;
  Write(folder / "x", {"old"});
  constexpr fs::perms kUnusual =
      fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_exec;
  fs::permissions(folder / "x", kUnusual);
  fs::create_symlink("x", folder / "link");
  Write(folder / "link", {"new"});
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(Read(folder / "x"), "new");
  EXPECT_EQ(fs::status(folder / "x").permissions(), kUnusual);
  EXPECT_EQ(folder.CountFiles(), 2);
}

TEST(AtomicFile, FoldersAreRefused) {
  const TemporaryFolder folder;
  const std::string expected =
      folder.Path().string() + ": is a directory; name a file inside it";
  EXPECT_EQ(DataErrorOf([&] { Write(folder.Path(), {"x"}); }), expected);
  EXPECT_EQ(DataErrorOf([&] { CheckRegularFile(folder.Path()); }), expected);
  EXPECT_EQ(folder.CountFiles(), 0);
}

TEST(AtomicFile, PipesAreRefused) {
  const TemporaryFolder folder;
  const fs::path path = folder / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const std::string expected =
      path.string() +
      ": is a device, a pipe or a socket, expected a regular file";
  EXPECT_EQ(DataErrorOf([&] { Write(path, {"x"}); }), expected);
  EXPECT_EQ(DataErrorOf([&] { CheckRegularFile(path); }), expected);
  EXPECT_TRUE(fs::is_fifo(path));
}

TEST(AtomicFile, ErrorsNameThePathTheReasonAndWhatToDo) {
  EXPECT_EQ(DataErrorOf([] { ThrowFileError("x", "cannot open", ENOENT); }),
            "x: cannot open: No such file or directory; check the path");
  const TemporaryFolder folder;
  const fs::path path = folder / "absent" / "x";
  EXPECT_EQ(DataErrorOf([&] { Write(path, {"x"}); }),
            path.string() + ": cannot create a file in " +
                path.parent_path().string() +
                ": No such file or directory; check the path");
}

TEST(AtomicFile, ANameWithoutAFolderIsInTheCurrentOne) {
  const TemporaryFolder folder;
  const std::string message = InChildProcess([&] {
    fs::current_path(folder.Path());
    return DataErrorOf([] { Write("x", {"text"}); });
  });
  EXPECT_EQ(message, "no DataError");
  EXPECT_EQ(Read(folder / "x"), "text");
}

// A limit on the size of files stands for a full disk: the write stops midway.
TEST(AtomicFile, AWriteThatFailsMidwayLeavesTheOldFileIntact) {
  const TemporaryFolder folder;
  const fs::path path = folder / "x";
  Write(path, {"old"});
  const std::string message = InChildProcess([&]() -> std::string {
    constexpr rlim_t kLimit = 4096;
    const rlimit limit{.rlim_cur = kLimit, .rlim_max = kLimit};
    (void)std::signal(SIGXFSZ, SIG_IGN);
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return "setrlimit failed";
    return DataErrorOf([&] { Write(path, {std::string(10'000, 'x')}); });
  });
  EXPECT_TRUE(message.starts_with(path.string() + ": cannot write")) << message;
  EXPECT_NE(message.find("too large"), std::string::npos) << message;
  EXPECT_NE(message.find("free some space"), std::string::npos) << message;
  EXPECT_EQ(Read(path), "old");
  EXPECT_EQ(folder.CountFiles(), 1);
}

TEST(AtomicFile, AFolderWithoutPermissionLeavesTheOldFileIntact) {
  const TemporaryFolder folder;
  const fs::path path = folder / "x";
  Write(path, {"old"});
  fs::permissions(folder.Path(), fs::perms::owner_read | fs::perms::owner_exec |
                                     fs::perms::others_read |
                                     fs::perms::others_exec);
  const std::string message = InChildProcess([&]() -> std::string {
    if (!StepDown()) return "skip";
    return DataErrorOf([&] { Write(path, {"new"}); });
  });
  fs::permissions(folder.Path(), fs::perms::owner_all);
  if (message == "skip") GTEST_SKIP() << "the superuser cannot step down";
  EXPECT_TRUE(message.starts_with(path.string() + ": ")) << message;
  EXPECT_NE(message.find("check the permissions"), std::string::npos)
      << message;
  EXPECT_EQ(Read(path), "old");
  EXPECT_EQ(folder.CountFiles(), 1);
}

}  // namespace
}  // namespace sven::atomic_file_test
