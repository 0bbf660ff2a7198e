// SPDX-License-Identifier: MIT
#include "sven/data/dataset_file.h"

#include <gtest/gtest.h>

#include <limits>

#include "sven/base/error.h"
#include "sven/data/npy.h"
#include "sven/data/safetensors.h"
#include "testing/files.h"
#include "testing/malformed.h"

namespace sven::data::dataset_file_test {
namespace {

namespace fs = std::filesystem;
using testing::DataErrorOf;
using testing::FaultsOf;
using testing::Slurp;
using testing::Spill;
using testing::TemporaryFolder;
using testing::ToBytes;
using Strings = std::vector<std::string>;
using Labels = std::vector<std::int64_t>;

fs::path Sample(const std::string& name) {
  return fs::path(SVEN_TEST_DATA) / "formats" / name;
}

Tensor Doubles(const std::vector<double>& values, std::vector<Index> shape) {
  return Tensor::From<double>(values, std::move(shape));
}
Tensor Integers(const Labels& values, std::vector<Index> shape) {
  return Tensor::From<std::int64_t>(values, std::move(shape));
}

using Arrays = std::vector<std::pair<std::string, Tensor>>;

// A data set written as safetensors and read back.
Table<double> ReadArrays(const Arrays& arrays,
                         const DatasetFileOptions& options = {}) {
  const TemporaryFolder folder;
  WriteSafetensors(folder / "x.safetensors",
                   {.tensors = arrays, .metadata = {}});
  return ReadDataset<double>(folder / "x.safetensors", options);
}

std::string ErrorOfArrays(const Arrays& arrays,
                          const DatasetFileOptions& options = {}) {
  return DataErrorOf([&] { ReadArrays(arrays, options); });
}

// Faults of a message whose file has a random folder.
std::string Faults(const std::string& message, const Strings& words) {
  return FaultsOf(message, message.substr(0, message.find(": ")), words);
}

const DatasetFileOptions kClasses = {
    .csv = {.columns = {.target_kind = TargetKind::kClasses}}};
const DatasetFileOptions kNumbers = {
    .csv = {.columns = {.target_kind = TargetKind::kNumbers}}};

template <class T>
class DatasetFile : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(DatasetFile, Types);

TYPED_TEST(DatasetFile, ArraysOfAnArchiveAreInputsAndTargets) {
  const auto table = ReadDataset<TypeParam>(Sample("xy.npz"));
  ASSERT_EQ(table.data.x.rows(), 4);
  ASSERT_EQ(table.data.x.cols(), 6);
  for (Index i = 0; i < 24; ++i) {
    EXPECT_EQ(table.data.x.data()[i], TypeParam(i) / 2);
  }
  EXPECT_EQ(table.data.labels, (Labels{1, 0, 2, 1}));
  EXPECT_EQ(table.class_names, (Strings{"0", "5", "7"}));
  ASSERT_EQ(table.validation.x.rows(), 2);
  EXPECT_EQ(table.validation.x(1, 5), TypeParam(5.5));
  EXPECT_EQ(table.validation.labels, (Labels{2, 0}));
}

TYPED_TEST(DatasetFile, EveryFormatIsFoundByNameOrContent) {
  const TemporaryFolder folder;
  Matrix<TypeParam> matrix(2, 3);
  matrix << 1, 2, 3, 4, 5, 6;
  WriteNpy(folder / "m.npy", matrix);
  Spill(folder / "m.csv", ToBytes("1,2,3\n4,5,6\n"));
  const std::vector<TypeParam> values(matrix.data(), matrix.data() + 6);
  WriteSafetensors(folder / "m.safetensors",
                   {.tensors = {{"x", Tensor::From<TypeParam>(values, {2, 3})}},
                    .metadata = {}});
  const auto idx = std::string("\0\0\x08\x02\0\0\0\2\0\0\0\3\1\2\3\4\5\6", 18);
  Spill(folder / "m.idx", ToBytes(idx));
  for (const std::string name : {"m.npy", "m.csv", "m.safetensors", "m.idx"}) {
    EXPECT_EQ(ReadDataset<TypeParam>(folder / name).data.x, matrix) << name;
    fs::copy_file(folder / name, folder / "unnamed",
                  fs::copy_options::overwrite_existing);
    EXPECT_EQ(ReadDataset<TypeParam>(folder / "unnamed").data.x, matrix)
        << name;
    if (name == "m.safetensors") continue;
    Spill(folder / (name + ".gz"), testing::Gzip(Slurp(folder / name)));
    EXPECT_EQ(ReadDataset<TypeParam>(folder / (name + ".gz")).data.x, matrix)
        << name;
  }
}

TYPED_TEST(DatasetFile, ColumnsOfAnNpyFileAreChosenByNumber) {
  const TemporaryFolder folder;
  Matrix<TypeParam> matrix(2, 4);
  matrix << 1, 2, 3, 0, 4, 5, 6, 1;
  WriteNpy(folder / "m.npy", matrix);
  const auto numbers = ReadDataset<TypeParam>(
      folder / "m.npy", {.csv = {.columns = {.targets = {"-1", "2"}}}});
  EXPECT_EQ(numbers.data.x, matrix(Eigen::all, std::vector{0, 2}));
  EXPECT_EQ(numbers.data.y, matrix(Eigen::all, std::vector{3, 1}));
  const auto classes = ReadDataset<TypeParam>(
      folder / "m.npy",
      {.csv = {.columns = {.targets = {"4"},
                           .inputs = {"3", "1"},
                           .target_kind = TargetKind::kClasses}}});
  EXPECT_EQ(classes.data.x, matrix(Eigen::all, std::vector{2, 0}));
  EXPECT_EQ(classes.data.labels, (Labels{0, 1}));
  EXPECT_EQ(classes.class_names, (Strings{"0", "1"}));
}

TYPED_TEST(DatasetFile, TargetsMayHaveAFileOfTheirOwn) {
  const TemporaryFolder folder;
  Spill(folder / "labels", ToBytes({"\0\0\x08\x01\0\0\0\2\3\1", 10}));
  const auto table = ReadDataset<TypeParam>(Sample("idx3-ubyte.gz"),
                                            {.target_file = folder / "labels"});
  EXPECT_EQ(table.data.x.rows(), 2);
  EXPECT_EQ(table.data.x.cols(), 12);
  EXPECT_EQ(table.data.x(1, 11), 23);
  EXPECT_EQ(table.data.labels, (Labels{1, 0}));
  EXPECT_EQ(table.class_names, (Strings{"1", "3"}));
}

TEST(DatasetFile, IntegersOfALastAxisOfOneAreClassesUnlessDenied) {
  const Tensor x = Doubles({1, 2, 3}, {3, 1});
  for (const std::vector<Index>& shape :
       std::vector<std::vector<Index>>{{3}, {3, 1}}) {
    const Tensor y = Integers({0, 2, 1}, shape);
    EXPECT_EQ(ReadArrays({{"x", x}, {"y", y}}).data.labels, (Labels{0, 2, 1}));
    const Table<double> numbers = ReadArrays({{"x", x}, {"y", y}}, kNumbers);
    EXPECT_TRUE(numbers.data.labels.empty());
    EXPECT_EQ(numbers.data.y(1, 0), 2);
  }
  const Tensor wide = Integers({0, 2, 1, 3, 4, 5}, {3, 2});
  EXPECT_EQ(ReadArrays({{"x", x}, {"y", wide}}).data.y.cols(), 2);
  const Tensor reals = Doubles({0, 2, 1}, {3});
  EXPECT_EQ(ReadArrays({{"x", x}, {"y", reals}}).data.y(1, 0), 2);
  EXPECT_EQ(ReadArrays({{"x", x}, {"y", reals}}, kClasses).data.labels,
            (Labels{0, 2, 1}));
}

TEST(DatasetFile, LargeIntegersAreDifferentClasses) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 60;
  const Table<double> table =
      ReadArrays({{"x", Doubles({1, 2, 3}, {3})},
                  {"y", Integers({kLarge + 1, kLarge, kLarge + 1}, {3})}});
  EXPECT_EQ(table.data.labels, (Labels{1, 0, 1}));
  EXPECT_EQ(table.class_names[1], "1152921504606846977");
}

TEST(DatasetFile, ValidationSharesTheClassesWithTraining) {
  const Table<double> table =
      ReadArrays({{"x", Doubles({1, 2}, {2})},
                  {"y", Integers({30, 10}, {2})},
                  {"x_val", Doubles({1, 2, 3}, {3})},
                  {"y_val", Integers({20, 30, 10}, {3})}});
  EXPECT_EQ(table.class_names, (Strings{"10", "20", "30"}));
  EXPECT_EQ(table.data.labels, (Labels{2, 0}));
  EXPECT_EQ(table.validation.labels, (Labels{1, 2, 0}));
}

TEST(DatasetFile, KnownClassesKeepTheirNumbers) {
  const DatasetFileOptions known = {
      .csv = {.columns = {.classes = {"9", "8", "7"}}}};
  const Tensor x = Doubles({1, 2}, {2});
  const Table<double> table =
      ReadArrays({{"x", x}, {"y", Integers({7, 9}, {2})}}, known);
  EXPECT_EQ(table.data.labels, (Labels{2, 0}));
  EXPECT_EQ(
      Faults(ErrorOfArrays({{"x", x}, {"y", Integers({7, 6}, {2})}}, known),
             {"'y'", "row 2", "class 6", "9,8,7"}),
      "");
}

TEST(DatasetFile, ArchivesThatDoNotFitAreRefused) {
  const Tensor x = Doubles({1, 2}, {2, 1});
  const Tensor y = Doubles({3, 4}, {2});
  const Tensor three = Doubles({1, 2, 3}, {3});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Faults(ErrorOfArrays({{"images", x}, {"y", y}}),
                   {"no array 'x'", "images, y"}),
            "");
  EXPECT_EQ(Faults(ErrorOfArrays({{"x", x}, {"y", three}}),
                   {"tensor 'y'", "3 targets", "expected 2"}),
            "");
  EXPECT_EQ(Faults(ErrorOfArrays({{"x", x}, {"y", y}, {"x_val", x}}),
                   {"no array 'y_val'"}),
            "");
  EXPECT_EQ(Faults(ErrorOfArrays({{"x", x}, {"y", y}, {"y_val", y}}),
                   {"no array 'x_val'"}),
            "");
  EXPECT_EQ(Faults(ErrorOfArrays({{"x", x}, {"x_val", x}, {"y_val", y}}),
                   {"1 inputs and 1 targets", "1 and 0"}),
            "");
  EXPECT_EQ(Faults(ErrorOfArrays({{"x", x},
                                  {"y", y},
                                  {"x_val", Doubles({1, 2}, {1, 2})},
                                  {"y_val", Doubles({1}, {1})}}),
                   {"2 inputs", "expected 1"}),
            "");
  EXPECT_EQ(Faults(ErrorOfArrays({{"x", x},
                                  {"y", y},
                                  {"x_val", x},
                                  {"y_val", Integers({1, 2}, {2})}}),
                   {"same type"}),
            "");
  EXPECT_EQ(Faults(ErrorOfArrays({{"x", Doubles({1, nan, 3, 4}, {2, 2})}}),
                   {"tensor 'x'", "row 1, column 2: nan", "finite"}),
            "");
  EXPECT_EQ(Faults(ErrorOfArrays({{"x", x}, {"y", Doubles({1, -inf}, {2})}}),
                   {"tensor 'y'", "row 2, column 1: -inf", "finite"}),
            "");
  EXPECT_EQ(Faults(ErrorOfArrays({{"x", Doubles({}, {0, 2})}}),
                   {"F64 [0, 2]", "no values"}),
            "");
  EXPECT_EQ(Faults(ErrorOfArrays({{"x", Doubles({}, {2, 0})}}),
                   {"F64 [2, 0]", "no values"}),
            "");
  EXPECT_EQ(
      Faults(ErrorOfArrays({{"x", x}, {"y", Doubles({1, 1.5}, {2})}}, kClasses),
             {"tensor 'y'", "row 2", "class 1.5", "whole"}),
      "");
  EXPECT_EQ(
      Faults(ErrorOfArrays({{"x", x}, {"y", Doubles({1, 2, 3, 4}, {2, 2})}},
                           kClasses),
             {"tensor 'y'", "2 targets", "one class"}),
      "");
}

TEST(DatasetFile, NumbersTooLargeForTheTypeAreRefused) {
  const TemporaryFolder folder;
  WriteNpy(folder / "x.npy", Doubles({1, 1e39}, {2}));
  EXPECT_EQ(ReadDataset<double>(folder / "x.npy").data.x(1, 0), 1e39);
  const std::string message =
      DataErrorOf([&] { ReadDataset<float>(folder / "x.npy"); });
  EXPECT_EQ(Faults(message, {"row 2, column 1: 1e+39", "at most 3.4e+38"}), "");
}

TEST(DatasetFile, FilesThatAreNotWhatTheirNameSaysAreRefused) {
  const TemporaryFolder folder;
  const auto error_of = [&](const std::string& name,
                            const DatasetFileOptions& options = {}) {
    return DataErrorOf([&] { ReadDataset<double>(folder / name, options); });
  };
  for (const std::string name : {"x.npy", "x.npz", "x.safetensors"}) {
    Spill(folder / name, ToBytes("1,2\n3,4\n"));
    EXPECT_EQ(Faults(error_of(name), {}), "");
  }
  Spill(folder / "x.csv", Slurp(Sample("version1.npy")));
  EXPECT_EQ(Faults(error_of("x.csv"), {"line 1", "NUL"}), "");
  Spill(folder / "y.npz", testing::Gzip(Slurp(Sample("stored.npz"))));
  EXPECT_EQ(Faults(error_of("y.npz"), {"gzip", "NPZ"}), "");
  EXPECT_EQ(Faults(error_of("absent.csv"), {"No such file"}), "");
}

TEST(DatasetFile, OptionsThatDoNotFitTheFileAreAUsageError) {
  const TemporaryFolder folder;
  Spill(folder / "x.csv", ToBytes("1,2\n3,4\n"));
  const DatasetFileOptions columns = {.csv = {.columns = {.targets = {"1"}}}};
  const DatasetFileOptions inputs = {.csv = {.columns = {.inputs = {"1"}}}};
  const DatasetFileOptions file = {.target_file = Sample("list.npy")};
  const DatasetFileOptions both = {.csv = {.columns = {.targets = {"1"}}},
                                   .target_file = Sample("list.npy")};
  EXPECT_THROW(ReadDataset<double>(Sample("xy.npz"), columns), UsageError);
  EXPECT_THROW(ReadDataset<double>(Sample("xy.npz"), inputs), UsageError);
  EXPECT_THROW(ReadDataset<double>(Sample("xy.npz"), file), UsageError);
  EXPECT_THROW(ReadDataset<double>(folder / "x.csv", file), UsageError);
  EXPECT_THROW(ReadDataset<double>(Sample("list.npy"), both), UsageError);
  // Columns of more than two axes, and targets in a text file.
  EXPECT_THROW(ReadDataset<double>(Sample("version1.npy"), columns), DataError);
  const std::string message = DataErrorOf([&] {
    ReadDataset<double>(Sample("list.npy"), {.target_file = folder / "x.csv"});
  });
  EXPECT_EQ(Faults(message, {"x.csv", "text format", "NPY or IDX"}), "");
}

TEST(DatasetFile, OptionsAreSetByName) {
  DatasetFileOptions options;
  EXPECT_TRUE(SetField("--target", "target", "a,-1", options));
  EXPECT_TRUE(SetField("--separator", "separator", "tab", options));
  EXPECT_TRUE(SetField("--kind", "target_kind", "classes", options));
  EXPECT_TRUE(SetField("--target-file", "target_file", "y.npy", options));
  EXPECT_EQ(options.csv.columns.targets, (Strings{"a", "-1"}));
  EXPECT_EQ(options.csv.separator, Separator::kTab);
  EXPECT_EQ(options.csv.columns.target_kind, TargetKind::kClasses);
  EXPECT_EQ(options.target_file, "y.npy");
}

}  // namespace
}  // namespace sven::data::dataset_file_test
