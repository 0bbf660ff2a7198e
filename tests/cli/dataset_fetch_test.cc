// SPDX-License-Identifier: MIT
//
// Fetching with small files and places that are at hand.
#include "dataset_fetch.h"

#include <gtest/gtest.h>

#include "child_process.h"
#include "sven/base/error.h"
#include "testing/files.h"

namespace sven::cli::dataset_fetch_test {
namespace {

namespace fs = std::filesystem;
using testing::DataErrorOf;

// IDX files of two and of three bytes, with their SHA-256 by sha256sum.
const std::string kFirst("\0\0\x08\x01\0\0\0\x02xy", 10);
const std::string kSecond("\0\0\x08\x01\0\0\0\x03xyz", 11);

std::vector<KnownFile> Files() {
  return {{"a-idx1-ubyte",
           {2},
           "1fe858b1b08ca8cabf70142807a7f37398c77adda6051c5eb0b614b5b3a889d3"},
          {"b-idx1-ubyte",
           {3},
           "27af6445ac623a3c3185b49586c5c72f3711cd96db83eff948ffc608e1786c33"}};
}

FetchWay Failing(const std::string& why) {
  return {"way that fails",
          [why](std::span<const KnownFile>, const fs::path&) -> fs::path {
            throw Error(why);
          }};
}

FetchWay Folder(const fs::path& folder) {
  return {"a folder", [folder](std::span<const KnownFile>, const fs::path&) {
            return folder;
          }};
}

class DatasetFetch : public ::testing::Test {
 protected:
  void Fetch(const std::vector<FetchWay>& ways) {
    FetchFiles(Files(), ways, Target());
  }
  std::string Error(const std::vector<FetchWay>& ways) {
    return DataErrorOf([&] { Fetch(ways); });
  }
  fs::path Target() const { return folder_ / "some" / "target"; }
  // A folder that a way may find files in.
  fs::path Source(const std::string& first, const std::string& second) {
    const fs::path source = folder_ / "source";
    fs::create_directories(source);
    Put(source / "a-idx1-ubyte", first);
    testing::Spill(source / "b-idx1-ubyte.gz",
                   testing::Gzip(testing::ToBytes(second)));
    return source;
  }
  static void Put(const fs::path& path, const std::string& text) {
    testing::Spill(path, testing::ToBytes(text));
  }
  static bool Holds(const fs::path& path, const std::string& text) {
    return testing::Slurp(path) == testing::ToBytes(text);
  }

  testing::TemporaryFolder folder_;
};

bool Has(const std::string& text, std::string_view word) {
  return text.find(word) != std::string::npos;
}

TEST_F(DatasetFetch, TheFirstWayThatWorksFillsTheFolderUncompressed) {
  Fetch({Failing("no"), Folder(Source(kFirst, kSecond))});
  EXPECT_TRUE(Holds(Target() / "a-idx1-ubyte", kFirst));
  EXPECT_TRUE(Holds(Target() / "b-idx1-ubyte", kSecond));
  // All is there now: no way is asked.
  Fetch({Failing("is not to be asked")});
}

TEST_F(DatasetFetch, FilesThatAreThereStay) {
  fs::create_directories(Target());
  testing::Spill(Target() / "a.idx1-ubyte.gz",
                 testing::Gzip(testing::ToBytes(kFirst)));
  Fetch({Folder(Source("rubbish", kSecond))});
  EXPECT_FALSE(fs::exists(Target() / "a-idx1-ubyte"));
  EXPECT_TRUE(Holds(Target() / "b-idx1-ubyte", kSecond));
}

TEST_F(DatasetFetch, AnotherFileOfTheNameIsNotOverwritten) {
  const std::string other("\0\0\x08\x01\0\0\0\x02xx", 10);
  fs::create_directories(Target());
  Put(Target() / "a-idx1-ubyte", other);
  const std::string error = Error({Folder(Source(kFirst, kSecond))});
  EXPECT_TRUE(Has(error, "a-idx1-ubyte: SHA-256")) << error;
  EXPECT_TRUE(Has(error, "not overwritten")) << error;
  EXPECT_TRUE(Holds(Target() / "a-idx1-ubyte", other));
}

TEST_F(DatasetFetch, WrongFilesAreNeverStored) {
  const std::string changed("\0\0\x08\x01\0\0\0\x02xz", 10);
  EXPECT_TRUE(Has(Error({Folder(Source(changed, kSecond))}), "SHA-256"));
  const std::string longer = kFirst + "z";
  EXPECT_TRUE(Has(Error({Folder(Source(longer, kSecond))}), "goes on"));
  EXPECT_TRUE(Has(Error({Folder(Source(kSecond, kSecond))}), "the size of a"));
  EXPECT_TRUE(Has(Error({Folder(Source("text", kSecond))}), "IDX"));
  EXPECT_FALSE(fs::exists(Target()));
}

TEST_F(DatasetFetch, WhatOneWayLacksTheNextMayHave) {
  const fs::path half = folder_ / "half";
  fs::create_directories(half);
  Put(half / "a-idx1-ubyte", kFirst);
  const std::string error = Error({Folder(half)});
  EXPECT_TRUE(Has(error, "b-idx1-ubyte cannot be had")) << error;
  EXPECT_TRUE(Has(error, "a folder: has no file b-idx1-ubyte")) << error;
  EXPECT_TRUE(Holds(Target() / "a-idx1-ubyte", kFirst));
  Fetch({Folder(half), Folder(Source("rubbish", kSecond))});
  EXPECT_TRUE(Holds(Target() / "b-idx1-ubyte", kSecond));
}

TEST_F(DatasetFetch, EveryReasonIsTold) {
  const std::string error = Error({Failing("too wet"), Failing("too dry")});
  EXPECT_TRUE(Has(error, "way that fails: too wet")) << error;
  EXPECT_TRUE(Has(error, "way that fails: too dry")) << error;
  EXPECT_FALSE(fs::exists(Target()));
}

TEST_F(DatasetFetch, AFolderThatCannotBeWrittenEndsIt) {
  Put(folder_ / "some", "a file where the folder should be");
  const std::string error =
      Error({Folder(Source(kFirst, kSecond)), Failing("is not to be asked")});
  EXPECT_TRUE(Has(error, "cannot make the folder")) << error;
  EXPECT_FALSE(Has(error, "asked")) << error;
}

TEST_F(DatasetFetch, TheScratchFolderIsEmptyAndGoneInTheEnd) {
  fs::path seen;
  Fetch({{"scratch",
          [&](std::span<const KnownFile> files, const fs::path& scratch) {
            EXPECT_EQ(files.size(), 2U);
            EXPECT_TRUE(fs::is_empty(scratch));
            Put(scratch / "a-idx1-ubyte", kFirst);
            Put(scratch / "b-idx1-ubyte", kSecond);
            seen = scratch;
            return scratch;
          }}});
  EXPECT_FALSE(seen.empty());
  EXPECT_FALSE(fs::exists(seen));
}

std::string ErrorOfProgram(const std::vector<std::string>& command) {
  try {
    RunProgram(command, "/");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(RunProgram, SaysWhatWentWrong) {
  EXPECT_EQ(ErrorOfProgram({"true"}), "");
  EXPECT_EQ(ErrorOfProgram({"no-such-program-anywhere"}),
            "no-such-program-anywhere is not installed");
  EXPECT_EQ(ErrorOfProgram({"sh", "-c", "pwd; echo; echo why >&2; exit 3"}),
            "sh failed with exit code 3: /; why");
  EXPECT_EQ(ErrorOfProgram({"sh", "-c", "kill -9 $$"}),
            "sh failed with signal 9: ");
  // There is nothing to wait for.
  EXPECT_EQ(ErrorOfProgram({"cat"}), "");
}

}  // namespace
}  // namespace sven::cli::dataset_fetch_test
