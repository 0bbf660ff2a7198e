// SPDX-License-Identifier: MIT
#include "sven/report/document.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "records.h"
#include "sven/base/atomic_file.h"
#include "testing/files.h"

namespace sven::report::document_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using testing::MakeRecord;
using testing::TemporaryFolder;
using testing::WriteRecord;
using testing::WriteText;

// A document of a folder, followed.
struct Followed {
  explicit Followed(const fs::path& path, const std::string& session = "s")
      : collection({path}), document(session) {
    Update();
  }
  bool Update() {
    collection.Refresh();
    return document.Update(collection);
  }
  [[nodiscard]] Json Whole() const { return Json::parse(document.Whole()); }
  [[nodiscard]] Json Since(std::uint64_t revision) const {
    const auto text = document.Since("s", revision);
    return text ? Json::parse(*text) : Json();
  }

  Collection collection;
  Document document;
};

// All settings of a run: those of its base, and its own.
Json SettingsOf(const Json& document, const Json& run) {
  Json settings = document["bases"][run["base"].get<std::size_t>()]["settings"];
  if (run.contains("settings")) settings.update(run["settings"]);
  return settings;
}

TEST(Document, HasWhatTheRecordsSay) {
  const TemporaryFolder folder;
  auto record = MakeRecord("sven", 7, {1.23456789, 0.5, 1e-9});
  record.epochs[0].spectrum = {1, 0.123456};
  record.epochs[0].kept = 2;
  record.epochs[1].refused = 3;
  record.epochs[2].phases.forward = 0.5;
  record.epochs[1].phases.forward = 0.25;
  record.summary->peak_memory = 12345678;
  record.validations = {{.epoch = 0, .step = 100, .validation = {.loss = 2}}};
  WriteRecord(folder / "a/run.jsonl", record);
  const Json document = Followed(folder.Path()).Whole();
  EXPECT_EQ(document["format"], "sven-report-1");
  const Json& run = document["runs"][0];
  EXPECT_EQ(run["status"], "completed");
  EXPECT_EQ(run["epochs"]["val_loss"], Json({1.23457, 0.5, 1e-9}));
  EXPECT_EQ(run["epochs"]["train_loss"], Json({0.617284, 0.25, 5e-10}));
  EXPECT_EQ(run["epochs"]["seconds"], Json({0.25, 0.5, 0.75}));
  EXPECT_EQ(run["epochs"]["step"], 313);
  EXPECT_EQ(run["epochs"]["learning_rate"], 0.1);
  EXPECT_EQ(run["epochs"]["kept"], Json({2, 0, 0}));
  EXPECT_FALSE(run["epochs"].contains("epoch"));
  EXPECT_FALSE(run["epochs"].contains("val_accuracy"));
  EXPECT_EQ(run["final_val_loss"], 1e-9);
  EXPECT_EQ(run["steps"], 939);
  EXPECT_EQ(run["refused"], 3);
  EXPECT_EQ(run["peak_memory"], 12345678);
  EXPECT_EQ(run["phases"]["forward"], 0.75);
  EXPECT_EQ(run["checks"]["step"], Json({100}));
  EXPECT_EQ(run["spectra"]["epoch"], Json({1}));
  EXPECT_EQ(run["spectra"]["values"][0], Json({1, 0.1235}));
  EXPECT_EQ(SettingsOf(document, run)["seed"], 7);
  EXPECT_EQ(SettingsOf(document, run)["lr"], 0.1);
  EXPECT_EQ(SettingsOf(document, run)["optimizer"], "sven");
}

TEST(Document, NumbersThatAreNotFiniteAreNull) {
  const TemporaryFolder folder;
  auto record = MakeRecord("sven", 1, {1, std::nan("")});
  record.summary->status = train::RunStatus::kDiverged;
  record.summary->diverged_at_step = 400;
  WriteRecord(folder / "a/run.jsonl", record);
  const Json document = Followed(folder.Path()).Whole();
  const Json& run = document["runs"][0];
  EXPECT_EQ(run["epochs"]["val_loss"], Json({1, nullptr}));
  EXPECT_TRUE(run["final_val_loss"].is_null());
  EXPECT_EQ(run["status"], "diverged");
  EXPECT_EQ(run["diverged_at_step"], 400);
}

TEST(Document, RunsOfAScanShareABaseAndKeepWhatDiffers) {
  const TemporaryFolder folder;
  WriteText(folder / "scan.toml", "");
  for (int seed = 1; seed <= 3; ++seed) {
    const std::string name = "runs/" + std::to_string(seed) + ".jsonl";
    WriteRecord(folder / name, MakeRecord("sven", seed, {1}));
  }
  const Json document = Followed(folder.Path()).Whole();
  EXPECT_EQ(document["bases"].size(), 1U);
  EXPECT_FALSE(document["runs"][0].contains("settings"));
  EXPECT_EQ(document["runs"][2]["settings"], Json({{"seed", 3}}));
}

TEST(Document, ASettingThatARunLacksIsNotTakenFromABase) {
  const TemporaryFolder folder;
  auto with = MakeRecord("sven", 1, {1});
  with.config.settings["k"] = "16";
  WriteRecord(folder / "a/run.jsonl", with);
  WriteRecord(folder / "b/run.jsonl", MakeRecord("sven", 1, {1}));
  const Json document = Followed(folder.Path()).Whole();
  EXPECT_FALSE(SettingsOf(document, document["runs"][1]).contains("k"));
}

TEST(Document, OddEpochsNeitherBreakItNorAreCounted) {
  const TemporaryFolder folder;
  auto record = MakeRecord("sven", 1, {1, 0.5});
  record.epochs[0].epoch = 0;
  record.epochs[1].epoch = 5;
  WriteRecord(folder / "a/run.jsonl", record);
  const Json document = Followed(folder.Path()).Whole();
  EXPECT_EQ(document["runs"][0]["epochs"]["epoch"], Json({0, 5}));
  EXPECT_EQ(document["runs"][0]["epochs"]["step"], Json({313, 626}));
}

TEST(Document, OfManyRunsTheBestAndTheWidestShowSpectra) {
  const TemporaryFolder folder;
  WriteText(folder / "scan.toml", "");
  for (int i = 0; i < 41; ++i) {
    auto record = MakeRecord("sven", i, {i == 30 ? 0.1 : 1.0});
    record.config.settings["k"] = std::to_string(i == 20 ? 64 : 4);
    record.epochs[0].spectrum = {1};
    WriteRecord(folder / ("runs/" + std::to_string(100 + i) + ".jsonl"),
                record);
  }
  const Json document = Followed(folder.Path()).Whole();
  for (int i = 0; i < 41; ++i) {
    EXPECT_EQ(document["runs"][i].contains("spectra"), i == 30 || i == 20) << i;
  }
}

TEST(Document, DefaultsAreThoseOfTheProgram) {
  const TemporaryFolder folder;
  const Json document = Followed(folder.Path()).Whole();
  const Json& defaults = document["defaults"];
  EXPECT_EQ(defaults[""]["epochs"], 20);
  EXPECT_EQ(defaults["adam"]["beta1"], 0.9);
  EXPECT_TRUE(defaults["sven"].contains("rtol"));
  // What depends on the task must be said.
  for (const char* name : {"batch_size", "hidden", "loss"}) {
    EXPECT_FALSE(defaults[""].contains(name)) << name;
  }
}

TEST(Document, HasResultsAndClaimsAsTheFilesSay) {
  const fs::path folder = fs::path(SVEN_TEST_DATA).parent_path().parent_path() /
                          "docs/reproduction";
  const Json document = Followed(folder).Whole();
  const Json results = Json::parse(ReadTextFile(folder / "results.json"));
  const Json claims = Json::parse(ReadTextFile(folder / "claims.json"));
  EXPECT_EQ(document["reproduction"]["experiments"], results["experiments"]);
  EXPECT_EQ(document["reproduction"]["claims"], claims);
}

TEST(Document, PartsSinceARevisionMakeTheWholeAgain) {
  const TemporaryFolder folder;
  WriteRecord(folder / "a/run.jsonl", MakeRecord("sven", 1, {1}));
  WriteRecord(folder / "b/run.jsonl", MakeRecord("adam", 1, {1}));
  Followed followed(folder.Path());
  const std::uint64_t first = followed.document.Revision();
  EXPECT_FALSE(followed.Update());
  EXPECT_FALSE(followed.document.Since("s", first).has_value());

  WriteRecord(folder / "b/run.jsonl", MakeRecord("adam", 1, {1, 0.5}));
  WriteRecord(folder / "c/run.jsonl", MakeRecord("sgd", 1, {1}));
  fs::remove_all(folder / "a");
  EXPECT_TRUE(followed.Update());
  const Json part = followed.Since(first);
  EXPECT_EQ(part["partial"], true);
  EXPECT_EQ(part["session"], "s");
  EXPECT_EQ(part["revision"], followed.document.Revision());
  EXPECT_EQ(part["removed"].size(), 1U);
  ASSERT_EQ(part["runs"].size(), 2U);
  EXPECT_EQ(part["runs"], followed.Whole()["runs"]);
  EXPECT_TRUE(part.contains("bases"));
  EXPECT_FALSE(part.contains("defaults"));

  // Only what has changed since.
  const std::uint64_t second = followed.document.Revision();
  WriteRecord(folder / "c/run.jsonl", MakeRecord("sgd", 1, {1, 0.1}));
  EXPECT_TRUE(followed.Update());
  const Json next = followed.Since(second);
  ASSERT_EQ(next["runs"].size(), 1U);
  EXPECT_EQ(next["runs"][0]["epochs"]["val_loss"], Json({1, 0.1}));
  EXPECT_FALSE(next.contains("bases"));
  EXPECT_FALSE(next.contains("removed"));
  EXPECT_EQ(followed.Since(first)["runs"].size(), 2U);
}

TEST(Document, AReproductionThatIsGoneIsNullFromThenOn) {
  const TemporaryFolder folder;
  WriteRecord(folder / "a/run.jsonl", MakeRecord("sven", 1, {1}));
  WriteText(folder / "claims.json", R"([{"id":"x","verdict":"holds"}])");
  Followed followed(folder.Path());
  const std::uint64_t first = followed.document.Revision();
  EXPECT_EQ(followed.Whole()["reproduction"]["claims"].size(), 1U);
  fs::remove(folder / "claims.json");
  EXPECT_TRUE(followed.Update());
  const Json part = followed.Since(first);
  ASSERT_TRUE(part.contains("reproduction"));
  EXPECT_TRUE(part["reproduction"].is_null());
  EXPECT_FALSE(followed.Update());
}

TEST(Document, WhoeverKnowsAnotherSessionOrRevisionGetsAll) {
  const TemporaryFolder folder;
  WriteRecord(folder / "a/run.jsonl", MakeRecord("sven", 1, {1}));
  const Followed followed(folder.Path());
  const std::string whole = followed.document.Whole();
  EXPECT_EQ(followed.document.Since("other", 1), whole);
  EXPECT_EQ(followed.document.Since("s", 99), whole);
  EXPECT_EQ(followed.document.Since("s", 0), whole);
  EXPECT_FALSE(Json::parse(whole).contains("partial"));
}

TEST(Document, BasesAndSourcesKeepTheirPlaces) {
  const TemporaryFolder folder;
  WriteRecord(folder / "m/z/run.jsonl", MakeRecord("sven", 1, {1}));
  Followed followed(folder.Path());
  const Json before = followed.Whole();
  // Named before the other, but found later.
  WriteRecord(folder / "a/b/run.jsonl", MakeRecord("adam", 1, {1}));
  followed.Update();
  const Json after = followed.Whole();
  EXPECT_EQ(after["sources"][0], before["sources"][0]);
  EXPECT_EQ(after["bases"][0], before["bases"][0]);
  EXPECT_EQ(after["runs"][1], before["runs"][0]);
}

TEST(Page, IsTheBuiltOneWithTheDocumentInIt) {
  const fs::path built = fs::path(SVEN_TEST_DATA).parent_path().parent_path() /
                         "web/dist/report.html";
  EXPECT_EQ(PageTemplate(), ReadTextFile(built));
  const std::string page = MakePage("{}");
  EXPECT_NE(page.find(R"(id="sven-data">{}</script>)"), std::string::npos);
  EXPECT_EQ(page.size(), PageTemplate().size() - 2);
  EXPECT_NE(
      MakePage("{}", true).find(R"(id="sven-data" data-live>{}</script>)"),
      std::string::npos);
}

TEST(Page, NothingInADocumentEndsItsElement) {
  const TemporaryFolder folder;
  auto record = MakeRecord("sven", 1, {1});
  const std::string evil = "</script><img src=x onerror=alert(1)><!--";
  record.config.command = evil;
  record.config.settings[evil] = evil;
  WriteRecord(folder / "<img src=x onerror=alert(1)>/run.jsonl", record);
  const Followed followed(folder.Path());
  const std::string page = MakePage(followed.document.Whole());
  EXPECT_EQ(page.find("<img"), std::string::npos);
  // It says the same as before.
  const std::string opening = R"(id="sven-data">)";
  const std::size_t start = page.find(opening) + opening.size();
  const std::size_t end = page.find("</script>", start);
  EXPECT_EQ(Json::parse(page.substr(start, end - start)), followed.Whole());
}

TEST(Page, NamesThatAreNotUtf8AreMadeSo) {
  const TemporaryFolder folder;
  WriteRecord(folder / "\xff\xfe/run.jsonl", MakeRecord("sven", 1, {1}));
  const Json document = Followed(folder.Path()).Whole();
  EXPECT_EQ(document["runs"].size(), 1U);
}

}  // namespace
}  // namespace sven::report::document_test
