// SPDX-License-Identifier: MIT
#include "sven/data/safetensors.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <stdexcept>

#include "sven/base/error.h"
#include "testing/files.h"
#include "testing/malformed.h"

namespace sven::data::safetensors_test {
namespace {

namespace fs = std::filesystem;
using testing::DataErrorOf;
using testing::Slurp;
using testing::Spill;
using testing::TemporaryFolder;
using testing::ToBytes;

using Bytes = std::vector<std::byte>;

SafetensorsFile SampleFile() {
  const std::vector<double> doubles = {
      1.5, -2.25, 1e300, std::numeric_limits<double>::infinity(), -0.0, 3};
  const std::vector<float> floats = {0.1F, -7};
  const std::vector<std::int64_t> integers = {-1};
  const std::vector<std::uint8_t> bools = {1, 0, 1};
  SafetensorsFile file;
  file.tensors.emplace_back("z.weight", Tensor::From<double>(doubles, {2, 3}));
  file.tensors.emplace_back("mask", Tensor::FromBools(bools, {3}));
  file.tensors.emplace_back("a \"quoted\"\n \u00fc",
                            Tensor::From<float>(floats, {2, 1, 1}));
  file.tensors.emplace_back("step", Tensor::From<std::int64_t>(integers, {}));
  file.metadata = {{"format", "pt"}, {"note", "line\nbreak \u20ac"}};
  return file;
}

TEST(Safetensors, WhatIsWrittenIsReadBack) {
  const SafetensorsFile file = SampleFile();
  EXPECT_EQ(ParseSafetensors(FormatSafetensors(file), "bytes"), file);

  const TemporaryFolder folder;
  WriteSafetensors(folder / "x.safetensors", file);
  EXPECT_EQ(ReadSafetensors(folder / "x.safetensors"), file);
  EXPECT_EQ(Slurp(folder / "x.safetensors"), FormatSafetensors(file));
}

TEST(Safetensors, EveryDTypeSurvivesARoundTrip) {
  SafetensorsFile file;
  for (const auto& [name, dtype] : EnumNames<DType>::kTable) {
    Tensor tensor{.dtype = dtype, .shape = {2, 3}, .bytes = {}};
    for (Index i = 0; i < 6 * ByteSize(dtype); ++i) {
      tensor.bytes.push_back(static_cast<std::byte>(37 * i + 11));
    }
    file.tensors.emplace_back(name, std::move(tensor));
  }
  ASSERT_EQ(file.tensors.size(), 13U);
  EXPECT_EQ(ParseSafetensors(FormatSafetensors(file), "bytes"), file);
}

TEST(Safetensors, AFileOfNothingIsValid) {
  const SafetensorsFile nothing;
  EXPECT_EQ(ParseSafetensors(FormatSafetensors(nothing), "bytes"), nothing);
  EXPECT_EQ(ParseSafetensors(testing::RawSafetensors("{}", 0), "bytes"),
            nothing);
  EXPECT_EQ(ParseSafetensors(
                testing::RawSafetensors(R"({"__metadata__":{}})", 0), "bytes"),
            nothing);
}

TEST(Safetensors, EmptyTensorsAndScalarsKeepTheirOrder) {
  const std::vector<double> one = {4};
  const std::vector<double> none;
  SafetensorsFile file;
  file.tensors.emplace_back("z", Tensor::From<double>(none, {0}));
  file.tensors.emplace_back("y", Tensor::From<double>(none, {3, 0, 2}));
  file.tensors.emplace_back("x", Tensor::From<double>(one, {}));
  file.tensors.emplace_back("w", Tensor::From<double>(none, {0, 5}));
  file.tensors.emplace_back("v", Tensor::From<double>(one, {1}));
  file.tensors.emplace_back("u", Tensor{});
  const SafetensorsFile back =
      ParseSafetensors(FormatSafetensors(file), "bytes");
  EXPECT_EQ(back, file);
  EXPECT_EQ(back.Find("x")->Size(), 1);
  EXPECT_EQ(back.Find("x")->Values<double>(), one);
  EXPECT_EQ(back.Find("y")->Size(), 0);
  EXPECT_EQ(back.Find("y")->Values<float>(), std::vector<float>{});
}

TEST(Safetensors, ManyTensorsAreReadInLittleTime) {
  SafetensorsFile file;
  for (int i = 0; i < 20'000; ++i) {
    file.tensors.emplace_back(std::to_string(i), Tensor{});
  }
  EXPECT_EQ(ParseSafetensors(FormatSafetensors(file), "bytes"), file);
}

TEST(Safetensors, BytesAreThoseOfTheFormat) {
  const std::vector<float> values = {1.0F, -2.0F};
  SafetensorsFile file;
  file.tensors.emplace_back("t", Tensor::From<float>(values, {2, 1}));
  file.metadata["k"] = "v";
  const std::string json =
      R"({"__metadata__":{"k":"v"},)"
      R"("t":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]}})";
  std::string expected = json;
  while (expected.size() % 8 != 0) expected += ' ';
  const char length = static_cast<char>(expected.size());
  ASSERT_LT(expected.size(), 128U);
  expected = length + std::string(7, '\0') + expected;
  expected += std::string("\x00\x00\x80\x3f\x00\x00\x00\xc0", 8);
  EXPECT_EQ(FormatSafetensors(file), ToBytes(expected));
}

TEST(Safetensors, DataBeginAtAMultipleOfEight) {
  SafetensorsFile file;
  for (std::size_t length = 1; length <= 16; ++length) {
    file.tensors = {{std::string(length, 'n'), Tensor{}}};
    EXPECT_EQ(FormatSafetensors(file).size() % 8, 0U);
  }
}

TEST(Safetensors, TensorsComeInTheOrderOfTheirData) {
  const Bytes bytes = testing::RawSafetensors(
      R"({"b": {"shape": [2], "dtype": "U8", "data_offsets": [3, 5]},
          "a": {"data_offsets": [0, 3], "dtype": "U8", "shape": [3]}}  )",
      5);
  const SafetensorsFile file = ParseSafetensors(bytes, "bytes");
  ASSERT_EQ(file.tensors.size(), 2U);
  EXPECT_EQ(file.tensors[0].first, "a");
  EXPECT_EQ(file.tensors[1].first, "b");
  EXPECT_EQ(file.Find("b")->shape, std::vector<Index>{2});
  EXPECT_EQ(file.Find("c"), nullptr);
}

TEST(Safetensors, FilesOfAnotherImplementationAreRead) {
  int count = 0;
  for (const auto& entry :
       fs::directory_iterator(fs::path(SVEN_TEST_DATA) / "parity")) {
    if (entry.path().extension() != ".safetensors") continue;
    const SafetensorsFile file = ReadSafetensors(entry.path());
    EXPECT_FALSE(file.tensors.empty()) << entry.path();
    EXPECT_EQ(ParseSafetensors(Slurp(entry.path()), "bytes"), file);
    EXPECT_EQ(ParseSafetensors(FormatSafetensors(file), "bytes"), file);
    ++count;
  }
  EXPECT_GT(count, 0);
}

TEST(Safetensors, UnwritableContentsAreALogicErrorAndTouchNothing) {
  const Tensor bad{.dtype = DType::kF32, .shape = {2}, .bytes = Bytes(7)};
  const std::vector<SafetensorsFile> files = {
      {.tensors = {{"a", Tensor{}}, {"a", Tensor{}}}, .metadata = {}},
      {.tensors = {{"a", bad}}, .metadata = {}},
      {.tensors = {{"__metadata__", Tensor{}}}, .metadata = {}},
      {.tensors = {{"\xff", Tensor{}}}, .metadata = {}},
      {.tensors = {}, .metadata = {{"k", "\xc3"}}},
  };
  const TemporaryFolder folder;
  for (const SafetensorsFile& file : files) {
    EXPECT_THROW(FormatSafetensors(file), std::logic_error);
    EXPECT_THROW(WriteSafetensors(folder / "x", file), std::logic_error);
    EXPECT_EQ(folder.CountFiles(), 0);
  }
}

TEST(Safetensors, EveryTruncatedFileIsRefused) {
  const Bytes bytes = FormatSafetensors(SampleFile());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const Bytes prefix(bytes.begin(),
                       bytes.begin() + static_cast<Index>(length));
    const std::string message =
        DataErrorOf([&] { ParseSafetensors(prefix, "cut.st"); });
    EXPECT_TRUE(message.starts_with("cut.st: ")) << length << ": " << message;
  }
}

TEST(Safetensors, TruncatedFilesOnDiskAreRefusedByName) {
  const TemporaryFolder folder;
  const fs::path path = folder / "cut.st";
  WriteSafetensors(path, SampleFile());
  for (auto size = fs::file_size(path); size > 0;) {
    size = size * 2 / 3;
    fs::resize_file(path, size);
    const std::string message = DataErrorOf([&] { ReadSafetensors(path); });
    EXPECT_TRUE(message.starts_with(path.string())) << message;
  }
}

TEST(Safetensors, DamagedFilesParseOrThrowDataError) {
  constexpr int kFiles = 20'000;
  std::mt19937 random(20240607);
  const Bytes original = FormatSafetensors(SampleFile());
  const std::string_view likely = "{}[]\",:0129-.eE\\u \xff";
  int refused = 0;
  for (int i = 0; i < kFiles; ++i) {
    const Bytes damaged = testing::Damage(original, likely, random);
    try {
      const SafetensorsFile file = ParseSafetensors(damaged, "damaged");
      // What was accepted is sound: it can be used and written again.
      for (const auto& [name, tensor] : file.tensors) {
        ASSERT_EQ(std::ssize(tensor.Values<double>()), tensor.Size());
      }
      ASSERT_EQ(ParseSafetensors(FormatSafetensors(file), "again"), file);
    } catch (const DataError& error) {
      ASSERT_TRUE(std::string_view(error.what()).starts_with("damaged: "));
      ++refused;
    } catch (const std::exception& error) {
      FAIL() << "file " << i << ": " << error.what();
    }
  }
  EXPECT_GT(refused, kFiles / 4);
  EXPECT_LT(refused, kFiles);
}

TEST(Safetensors, MissingFilesAreNamedWithTheReason) {
  const TemporaryFolder folder;
  const fs::path path = folder / "absent.st";
  const std::string message = DataErrorOf([&] { ReadSafetensors(path); });
  EXPECT_TRUE(message.starts_with(path.string() + ": ")) << message;
  EXPECT_NE(message.find("No such file"), std::string::npos) << message;
  EXPECT_NE(message.find("check the path"), std::string::npos) << message;
}

TEST(Safetensors, FoldersAreNeitherReadNorOverwritten) {
  const TemporaryFolder folder;
  for (const auto& action : std::vector<std::function<void()>>{
           [&] { ReadSafetensors(folder.Path()); },
           [&] { WriteSafetensors(folder.Path(), SampleFile()); }}) {
    const std::string message = DataErrorOf(action);
    EXPECT_TRUE(message.starts_with(folder.Path().string())) << message;
    EXPECT_NE(message.find("is a directory"), std::string::npos) << message;
  }
  EXPECT_EQ(folder.CountFiles(), 0);
}

TEST(Safetensors, PipesAreRefusedWithoutWaiting) {
  const TemporaryFolder folder;
  const fs::path path = folder / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const std::string read = DataErrorOf([&] { ReadSafetensors(path); });
  EXPECT_NE(read.find("a pipe"), std::string::npos) << read;
  const std::string write =
      DataErrorOf([&] { WriteSafetensors(path, SampleFile()); });
  EXPECT_NE(write.find("a pipe"), std::string::npos) << write;
  EXPECT_TRUE(fs::is_fifo(path));
}

TEST(Safetensors, TensorsLargerThanABufferAreReadWhole) {
  const TemporaryFolder folder;
  const fs::path path = folder / "x.st";
  const std::vector<double> values(1'000'000, 1.5);
  SafetensorsFile file;
  file.tensors.emplace_back("w",
                            Tensor::From<double>(values, {std::ssize(values)}));
  WriteSafetensors(path, file);
  EXPECT_EQ(ReadSafetensors(path), file);
}

// A header of a hundred bytes may claim any size; memory is never taken for
// more than the file holds. (A terabyte would not fit; the sanitizers, too,
// stop a program that asks for one.)
TEST(Safetensors, LyingHeadersTakeNoMemory) {
  const TemporaryFolder folder;
  const fs::path path = folder / "lie.st";
  Spill(path,
        testing::RawSafetensors(R"({"w":{"dtype":"U8","shape":[1099511627776],)"
                                R"("data_offsets":[0,1099511627776]}})",
                                16));
  const std::string message = DataErrorOf([&] { ReadSafetensors(path); });
  EXPECT_NE(message.find("'w'"), std::string::npos) << message;
  EXPECT_NE(message.find("out of range"), std::string::npos) << message;
}

TEST(Safetensors, HeadersOverTheLimitAreRefused) {
  const TemporaryFolder folder;
  const fs::path path = folder / "big";
  // 100'000'001, little-endian
  Spill(path, ToBytes({"\x01\xe1\xf5\x05\0\0\0\0", 8}));
  fs::resize_file(path, 200'000'000);  // sparse
  const std::string message = DataErrorOf([&] { ReadSafetensors(path); });
  EXPECT_NE(message.find("100000001"), std::string::npos) << message;
  EXPECT_NE(message.find("limit of the format"), std::string::npos) << message;
}

}  // namespace
}  // namespace sven::data::safetensors_test
