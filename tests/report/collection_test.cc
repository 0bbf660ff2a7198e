// SPDX-License-Identifier: MIT
#include "sven/report/collection.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "records.h"
#include "sven/experiment/run.h"
#include "testing/child_process.h"
#include "testing/files.h"

namespace sven::report::collection_test {
namespace {

namespace fs = std::filesystem;
using testing::DataErrorOf;
using testing::MakeRecord;
using testing::TemporaryFolder;
using testing::WriteRecord;
using testing::WriteText;

Collection Collect(std::vector<fs::path> paths) {
  Collection collection(std::move(paths));
  collection.Refresh();
  return collection;
}

std::vector<std::string> Ids(const Collection& collection) {
  std::vector<std::string> ids;
  for (const CollectedRun& run : collection.Runs()) ids.push_back(run.id);
  return ids;
}

// The reason for which a file was skipped; empty if it was not.
std::string ReasonFor(const Collection& collection, const fs::path& path) {
  for (const SkippedFile& file : collection.Skipped()) {
    if (file.path == path.string()) return file.reason;
  }
  return "";
}

using Names = std::vector<std::string>;

TEST(Collection, AFolderOfARunIsCalledAfterItself) {
  const TemporaryFolder folder;
  WriteRecord(folder / "runs/a/run.jsonl", MakeRecord("sven", 1, {1, 0.5}));
  for (const fs::path& path : {folder / "runs/a", folder / "runs"}) {
    const Collection collection = Collect({path});
    EXPECT_EQ(Ids(collection), Names{"runs/a"});
    ASSERT_EQ(collection.Sources().size(), 1U);
    EXPECT_EQ(collection.Sources()[0].name, "runs");
    EXPECT_FALSE(collection.Sources()[0].is_scan);
    EXPECT_TRUE(collection.Skipped().empty());
  }
}

TEST(Collection, FoldersBesideEachOtherAreOneSourceHoweverTheyAreNamed) {
  const TemporaryFolder folder;
  for (const char* name : {"runs/a/run.jsonl", "runs/b/run.jsonl"}) {
    WriteRecord(folder / name, MakeRecord("sven", 1, {1}));
  }
  const Collection collection = Collect({folder / "runs/b", folder / "runs/a"});
  EXPECT_EQ(Ids(collection), (Names{"runs/b", "runs/a"}));
  EXPECT_EQ(collection.Sources().size(), 1U);
}

TEST(Collection, ScanHasItsTitleItsRunsAndThoseAtWork) {
  const TemporaryFolder folder;
  WriteText(folder / "scan/scan.toml", "title = \"a <b> scan\"\n");
  WriteRecord(folder / "scan/runs/sven_k=1.jsonl", MakeRecord("sven", 1, {1}));
  auto unfinished = MakeRecord("sven", 2, {1});
  unfinished.summary.reset();
  WriteRecord(folder / "scan/.work/sven_k=2/run.jsonl", unfinished);
  const Collection collection = Collect({folder / "scan"});
  EXPECT_EQ(Ids(collection), (Names{"scan/sven_k=1", "scan/sven_k=2"}));
  EXPECT_EQ(collection.Sources()[0].title, "a <b> scan");
  EXPECT_TRUE(collection.Sources()[0].is_scan);
  EXPECT_EQ(collection.Runs()[1].status, "running");
  EXPECT_TRUE(collection.Skipped().empty());
}

TEST(Collection, ARunThatIsDoneReplacesTheOneAtWork) {
  const TemporaryFolder folder;
  WriteText(folder / "scan/scan.toml", "");
  WriteRecord(folder / "scan/runs/a.jsonl", MakeRecord("sven", 1, {1}));
  WriteRecord(folder / "scan/.work/a/run.jsonl", MakeRecord("sven", 1, {2}));
  const Collection collection = Collect({folder / "scan"});
  ASSERT_EQ(Ids(collection), Names{"scan/a"});
  EXPECT_EQ(collection.Runs()[0].record->epochs[0].validation.loss, 1);
}

TEST(Collection, ScansOfAReproductionAreNamedAsInIt) {
  const TemporaryFolder folder;
  const fs::path inner = folder / "all/reproduction";
  WriteText(inner / "results.json", "{");
  WriteText(inner / "toy1d/scan.toml", "");
  WriteRecord(inner / "toy1d/runs/a.jsonl", MakeRecord("sven", 1, {1}));
  const Collection collection = Collect({folder / "all"});
  EXPECT_EQ(Ids(collection), Names{"toy1d/a"});
  EXPECT_NE(ReasonFor(collection, inner / "results.json"), "");
  EXPECT_FALSE(collection.Reproduced().IsThere());
}

TEST(Collection, NothingIsThereTwice) {
  const TemporaryFolder folder;
  WriteRecord(folder / "a/run.jsonl", MakeRecord("sven", 1, {1}));
  fs::create_directory_symlink(folder.Path(), folder / "a/loop");
  const Collection collection =
      Collect({folder.Path(), folder.Path() / "a", folder.Path() / "a/.."});
  EXPECT_EQ(collection.Runs().size(), 1U);
}

TEST(Collection, NamesThatAreTakenGetANumber) {
  const TemporaryFolder folder;
  WriteRecord(folder / "x/runs/a/run.jsonl", MakeRecord("sven", 1, {1}));
  WriteRecord(folder / "y/runs/a/run.jsonl", MakeRecord("sven", 1, {1}));
  const Collection collection = Collect({folder / "x/runs", folder / "y/runs"});
  EXPECT_EQ(Ids(collection), (Names{"runs/a", "runs (2)/a"}));
}

TEST(Collection, NamesThatAreNotUtf8AreToldApartAsTheyAreShown) {
  const TemporaryFolder folder;
  for (const char* name : {"b\xff\xfe"
                           "d/run.jsonl",
                           "b\xff\xfd"
                           "d/run.jsonl"}) {
    WriteRecord(folder / "names" / name, MakeRecord("sven", 1, {1}));
  }
  const Names ids = Ids(Collect({folder / "names"}));
  const std::string shown =
      "names/b\xEF\xBF\xBD\xEF\xBF\xBD"
      "d";
  EXPECT_EQ(ids, (Names{shown, shown + " (2)"}));
}

TEST(Collection, EveryCutOfARecordIsReadOrSkippedWithAReason) {
  const TemporaryFolder folder;
  const std::string text =
      train::FormatRunFile(MakeRecord("sven", 1, {1, 0.5, 0.25}));
  const fs::path path = folder / "a/run.jsonl";
  const std::size_t first_line = text.find('\n');
  Collection collection({folder.Path()});
  for (std::size_t size = 0; size <= text.size(); ++size) {
    WriteText(path, text.substr(0, size));
    collection.Refresh();
    // A last line that lacks nothing but its end counts.
    if (size < first_line) {
      EXPECT_TRUE(collection.Runs().empty()) << size;
      EXPECT_NE(ReasonFor(collection, path), "") << size;
      continue;
    }
    ASSERT_EQ(collection.Runs().size(), 1U) << size;
    const auto lines = std::count(text.begin(), text.begin() + size, '\n');
    const CollectedRun& run = collection.Runs()[0];
    EXPECT_GE(std::ssize(run.record->epochs), std::min(lines - 1, 3L)) << size;
    EXPECT_TRUE(collection.Skipped().empty()) << size;
    EXPECT_EQ(run.status, size + 1 >= text.size() ? "completed" : "running");
  }
}

TEST(Collection, BrokenForeignAndHugeFilesAreListedAndTheRestIsThere) {
  const TemporaryFolder folder;
  WriteRecord(folder / "good/run.jsonl", MakeRecord("sven", 1, {1}));
  const std::pair<const char*, std::string> bad[] = {
      {"empty/run.jsonl", ""},
      {"words/run.jsonl", "hello\nworld\n"},
      {"list/run.jsonl", "[1,2]\n"},
      {"foreign/run.jsonl", "{\"a\":1}\n"},
      {"headless/run.jsonl", "{\"type\":\"note\"}\n"},
      {"deep/run.jsonl", std::string(100000, '[') + "\n"},
      {"binary/run.jsonl", std::string("\0\xff\xfe\n", 4)},
      {"new/run.jsonl", train::FormatRecord(MakeRecord("sven", 1, {1}).config) +
                            "\n{\"type\":\"epoch\",\"epoch\":\"one\"}\n"},
      {"notes.txt", "my notes"},
  };
  for (const auto& [name, text] : bad) WriteText(folder / name, text);
  WriteText(folder / "huge/run.jsonl", "");
  fs::resize_file(folder / "huge/run.jsonl", Collection::kLargestFile + 1);
  fs::create_directory(folder / "pipe");
  ASSERT_EQ(::mkfifo((folder / "pipe/run.jsonl").c_str(), 0600), 0);
  const Collection collection = Collect({folder.Path()});
  EXPECT_EQ(collection.Runs().size(), 1U);
  for (const auto& [name, text] : bad) {
    EXPECT_NE(ReasonFor(collection, folder / name), "") << name;
  }
  EXPECT_NE(ReasonFor(collection, folder / "huge/run.jsonl").find("64 MB"),
            std::string::npos);
  // The path stands beside the reason and is not repeated in it.
  EXPECT_EQ(ReasonFor(collection, folder / "words/run.jsonl").find("words"),
            std::string::npos);
}

TEST(Collection, ARecordThatMayNotBeReadIsListed) {
  const TemporaryFolder folder;
  const fs::path path = folder / "locked/run.jsonl";
  WriteRecord(path, MakeRecord("sven", 1, {1}));
  EXPECT_EQ(ReasonFor(Collect({folder.Path()}), path), "");
  for (const fs::path& open : {folder.Path(), path.parent_path()}) {
    fs::permissions(open, fs::perms::others_read | fs::perms::others_exec,
                    fs::perm_options::add);
  }
  fs::permissions(path, fs::perms::none);
  const std::string reason = testing::InChildProcess([&]() -> std::string {
    if (!testing::StepDown()) return "skip";
    return ReasonFor(Collect({folder.Path()}), path);
  });
  if (reason == "skip") GTEST_SKIP() << "the superuser cannot step down";
  EXPECT_NE(reason.find("ermission"), std::string::npos) << reason;
}

TEST(Collection, ManyForeignFilesAreCounted) {
  const TemporaryFolder folder;
  for (int i = 0; i < 100; ++i) {
    WriteText(folder / ("file" + std::to_string(i)), "x");
  }
  const Collection collection = Collect({folder.Path()});
  EXPECT_EQ(collection.Skipped().size(), 21U);
  EXPECT_EQ(collection.Skipped().back().reason,
            "80 more files that Sven does not write");
}

TEST(Collection, OfTheReproductionsTheFirstThatCanBeReadIsShown) {
  const TemporaryFolder folder;
  const std::string claims = R"([{"id":"x","verdict":"holds"}])";
  WriteText(folder / "a/claims.json", "{\"id\":1}");
  WriteText(folder / "b/claims.json", claims);
  WriteText(folder / "c/claims.json", claims);
  WriteText(folder / "c/results.json", R"({"format":"sven-results-2"})");
  const Collection collection = Collect({folder.Path()});
  EXPECT_EQ(collection.Reproduced().claims, claims);
  EXPECT_NE(ReasonFor(collection, folder / "a/claims.json"), "");
  EXPECT_EQ(ReasonFor(collection, folder / "b/claims.json"), "");
  EXPECT_NE(ReasonFor(collection, folder / "c/claims.json"), "");
  EXPECT_NE(
      ReasonFor(collection, folder / "c/results.json").find("sven-results-1"),
      std::string::npos);
}

TEST(Collection, NestingUsesUpNoStack) {
  const TemporaryFolder folder;
  constexpr std::size_t kDepth = 3'000'000;
  const std::string deep = std::string(kDepth, '[') + std::string(kDepth, ']');
  WriteText(folder / "claims.json",
            R"([{"id":)" + deep + R"(,"verdict":"holds"}])");
  // Results in all but for what nests.
  WriteText(folder / "results.json",
            R"({"format":"sven-results-1","version":"1","machine":{},)"
            R"("identities":{"natural_gradient_difference":0,)"
            R"("kappa_cosine":0,"linear_decay_error":0,)"
            R"("network_decay_rate":0,"one_condition_cosine":0},)"
            R"("experiments":[{"name":"a","title":"","task":"t",)"
            R"("batch_size":1,"initial_loss":1,"missing":0,"run_seconds":1,)"
            R"("points":[],"more":)" +
                deep + "}]}");
  const Collection collection = Collect({folder.Path()});
  EXPECT_FALSE(collection.Reproduced().IsThere());
  EXPECT_NE(ReasonFor(collection, folder / "claims.json"), "");
  EXPECT_NE(ReasonFor(collection, folder / "results.json").find("deep"),
            std::string::npos);
}

TEST(Collection, OnlyFilesThatChangedAreReadAgain) {
  const TemporaryFolder folder;
  const auto record = MakeRecord("sven", 1, {1, 0.5});
  WriteRecord(folder / "a/run.jsonl", record);
  WriteRecord(folder / "b/run.jsonl", record);
  Collection collection({folder.Path()});
  collection.Refresh();
  const auto a = collection.Runs()[0].record;
  const auto b = collection.Runs()[1].record;
  WriteRecord(folder / "b/run.jsonl", MakeRecord("sven", 1, {1, 0.5, 0.25}));
  collection.Refresh();
  EXPECT_EQ(collection.Runs()[0].record, a);
  EXPECT_NE(collection.Runs()[1].record, b);
  EXPECT_EQ(collection.Runs()[1].record->epochs.size(), 3U);
  fs::remove_all(folder / "a");
  collection.Refresh();
  EXPECT_EQ(collection.Runs().size(), 1U);
}

TEST(Collection, ARunWithoutSummaryGoesOnWhileItsFolderIsHeld) {
  const TemporaryFolder folder;
  auto record = MakeRecord("sven", 1, {1});
  record.summary.reset();
  WriteRecord(folder / "a/run.jsonl", record);
  fs::last_write_time(folder / "a/run.jsonl",
                      fs::file_time_type::clock::now() - std::chrono::hours(1));
  Collection collection({folder.Path()});
  collection.Refresh();
  EXPECT_EQ(collection.Runs()[0].status, "interrupted");
  const experiment::FolderLock lock(folder / "a");
  collection.Refresh();
  EXPECT_EQ(collection.Runs()[0].status, "running");
}

TEST(Collection, WhatIsNotThereIsAnError) {
  const TemporaryFolder folder;
  const std::string message =
      DataErrorOf([&] { Collection({folder / "nowhere"}); });
  EXPECT_NE(message.find("nowhere: cannot open: No such file"),
            std::string::npos)
      << message;
}

}  // namespace
}  // namespace sven::report::collection_test
