// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <filesystem>

#include "sven/base/error.h"
#include "sven/data/tasks.h"
#include "testing/files.h"
#include "testing/malformed.h"

namespace sven::data::mnist_test {
namespace {

namespace fs = std::filesystem;
using testing::DataErrorOf;
using testing::FaultsOf;

std::vector<std::byte> Idx(const std::vector<Index>& shape,
                           const std::vector<int>& values) {
  std::string text("\0\0\x08", 3);
  text += static_cast<char>(shape.size());
  for (const Index extent : shape) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      text += static_cast<char>(extent >> shift);
    }
  }
  for (const int value : values) text += static_cast<char>(value);
  return testing::ToBytes(text);
}

int Pixel(Index image, Index pixel) {
  return static_cast<int>((31 * image + 7 * pixel) % 256);
}

std::vector<std::byte> Images(Index count, Index side = 28) {
  std::vector<int> values;
  for (Index image = 0; image < count; ++image) {
    for (Index p = 0; p < side * side; ++p) values.push_back(Pixel(image, p));
  }
  return Idx({count, side, side}, values);
}

std::vector<std::byte> Labels(const std::vector<int>& labels) {
  return Idx({std::ssize(labels)}, labels);
}

const std::vector<int> kTrain = {5, 0, 4, 1, 9, 2, 1, 3, 1, 4};
const std::vector<int> kTest = {7, 2, 1, 0, 4};

// A folder with the four files, plain.
class Mnist : public ::testing::Test {
 protected:
  Mnist() {
    Put("train-images-idx3-ubyte", Images(std::ssize(kTrain)));
    Put("train-labels-idx1-ubyte", Labels(kTrain));
    Put("t10k-images-idx3-ubyte", Images(std::ssize(kTest)));
    Put("t10k-labels-idx1-ubyte", Labels(kTest));
  }
  void Put(std::string_view name, const std::vector<std::byte>& bytes) {
    testing::Spill(folder_ / name, bytes);
  }
  void Rename(std::string_view from, std::string_view to) {
    fs::rename(folder_ / from, folder_ / to);
  }
  MnistOptions Options() const { return {.folder = folder_.Path().string()}; }
  std::string Error() const {
    return DataErrorOf([&] { MakeMnist<float>(Options()); });
  }
  std::string Path(std::string_view name) const {
    return (folder_ / name).string();
  }

  testing::TemporaryFolder folder_;
};

TEST_F(Mnist, PixelsAreNormalisedAndLabelsKept) {
  const Task<double> task = MakeMnist<double>(Options());
  ASSERT_EQ(task.train.Size(), 10);
  ASSERT_EQ(task.train.x.cols(), 784);
  ASSERT_EQ(task.validation.Size(), 5);
  for (Index a = 0; a < 5; ++a) {
    for (Index p = 0; p < 784; ++p) {
      const double expected = (Pixel(a, p) / 255.0 - 0.1307) / 0.3081;
      ASSERT_NEAR(task.train.x(a, p), expected, 1e-14);
      ASSERT_NEAR(task.validation.x(a, p), expected, 1e-14);
    }
  }
  EXPECT_EQ(task.train.labels,
            std::vector<std::int64_t>(kTrain.begin(), kTrain.end()));
  EXPECT_EQ(task.validation.labels,
            std::vector<std::int64_t>(kTest.begin(), kTest.end()));
  EXPECT_EQ(task.train.y.size(), 0);
  EXPECT_EQ(task.class_names,
            (std::vector<std::string>{"0", "1", "2", "3", "4", "5", "6", "7",
                                      "8", "9"}));
}

TEST_F(Mnist, TheNormalisationIsThatOfRawPixels) {
  const Task<double> task = MakeMnist<double>(Options());
  EXPECT_TRUE(task.normalisation.targets.IsIdentity());
  Matrix<double> raw(1, 784);
  for (Index p = 0; p < 784; ++p) raw(0, p) = Pixel(3, p);
  task.normalisation.inputs.Apply(MatrixView<double>(raw.data(), 1, 784));
  EXPECT_EQ(raw, task.train.x.row(3));
}

TEST_F(Mnist, FloatsAreTheDoublesRounded) {
  const Task<float> task = MakeMnist<float>(Options());
  EXPECT_EQ(task.train.x, MakeMnist<double>(Options()).train.x.cast<float>());
}

TEST_F(Mnist, DigitsAreSelectedAndRelabelledInTheOrderGiven) {
  MnistOptions options = Options();
  options.digits = {"4", "1"};
  const Task<double> all = MakeMnist<double>(Options());
  const Task<double> task = MakeMnist<double>(options);
  EXPECT_EQ(task.train.labels, (std::vector<std::int64_t>{0, 1, 1, 1, 0}));
  EXPECT_EQ(task.validation.labels, (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(task.class_names, (std::vector<std::string>{"4", "1"}));
  const std::vector<Index> rows = {2, 3, 6, 8, 9};
  for (Index a = 0; a < 5; ++a) {
    EXPECT_EQ(task.train.x.row(a), all.train.x.row(rows[a]));
  }
}

TEST_F(Mnist, SizesTakeTheFirstOnesOfTheseDigits) {
  MnistOptions options = Options();
  options.digits = {"1", "4"};
  options.train = 3;
  options.validation = 1;
  const Task<double> task = MakeMnist<double>(options);
  EXPECT_EQ(task.train.Size(), 3);
  EXPECT_EQ(task.train.labels, (std::vector<std::int64_t>{1, 0, 0}));
  EXPECT_EQ(task.validation.labels, (std::vector<std::int64_t>{0}));
  options.train = 6;
  EXPECT_THROW(MakeMnist<double>(options), UsageError);
  options.train = 0;
  EXPECT_THROW(MakeMnist<double>(options), UsageError);
}

TEST_F(Mnist, FashionHasNamesOfItsOwn) {
  MnistOptions options = Options();
  options.set = ImageSet::kFashionMnist;
  const Task<float> task = MakeMnist<float>(options);
  EXPECT_EQ(task.class_names.front(), "T-shirt/top");
  EXPECT_EQ(task.class_names.back(), "Ankle boot");
  EXPECT_EQ(task.train.x, MakeMnist<float>(Options()).train.x);
  options.digits = {"9", "0"};
  EXPECT_EQ(MakeMnist<float>(options).class_names,
            (std::vector<std::string>{"Ankle boot", "T-shirt/top"}));
}

TEST_F(Mnist, GzipAndDottedNamesAreTheSame) {
  const Task<float> plain = MakeMnist<float>(Options());
  for (const std::string name :
       {"train-images-idx3-ubyte", "t10k-labels-idx1-ubyte"}) {
    Put(name + ".gz", testing::Gzip(testing::Slurp(folder_ / name)));
    fs::remove(folder_ / name);
  }
  Rename("train-labels-idx1-ubyte", "train-labels.idx1-ubyte");
  Put("t10k-images.idx3-ubyte.gz",
      testing::Gzip(testing::Slurp(folder_ / "t10k-images-idx3-ubyte")));
  fs::remove(folder_ / "t10k-images-idx3-ubyte");
  const Task<float> task = MakeMnist<float>(Options());
  EXPECT_EQ(task.train.x, plain.train.x);
  EXPECT_EQ(task.train.labels, plain.train.labels);
  EXPECT_EQ(task.validation.x, plain.validation.x);
  EXPECT_EQ(task.validation.labels, plain.validation.labels);
}

TEST_F(Mnist, AMissingFileIsNamedWithTheCommandThatGetsIt) {
  fs::remove(folder_ / "t10k-labels-idx1-ubyte");
  const std::string folder = folder_.Path().string();
  EXPECT_EQ(
      FaultsOf(Error(), folder,
               {"t10k-labels-idx1-ubyte", "sven data mnist --dir " + folder}),
      "");
  MnistOptions options{.set = ImageSet::kFashionMnist, .folder = "/no/such"};
  EXPECT_EQ(
      FaultsOf(DataErrorOf([&] { MakeMnist<float>(options); }), "/no/such",
               {"train-images", "sven data fashion-mnist --dir /no/such"}),
      "");
}

TEST_F(Mnist, CountsOfImagesAndLabelsMustAgree) {
  Put("train-labels-idx1-ubyte", Labels({1, 2, 3}));
  EXPECT_EQ(FaultsOf(Error(), Path("train-labels-idx1-ubyte"),
                     {"3 labels", "expected 10"}),
            "");
}

TEST_F(Mnist, ImagesHaveTheirSize) {
  Put("t10k-images-idx3-ubyte", Images(5, 27));
  EXPECT_EQ(FaultsOf(Error(), Path("t10k-images-idx3-ubyte"),
                     {"U8 [5, 27, 27]", "28 x 28"}),
            "");
  // Labels where images should be, and the other way round.
  Put("t10k-images-idx3-ubyte", Labels(kTest));
  EXPECT_EQ(FaultsOf(Error(), Path("t10k-images-idx3-ubyte"), {"U8 [5]"}), "");
}

TEST_F(Mnist, LabelsAreOneToAnImage) {
  Put("train-labels-idx1-ubyte", Images(10));
  EXPECT_EQ(FaultsOf(Error(), Path("train-labels-idx1-ubyte"),
                     {"U8 [10, 28, 28]", "one label per image"}),
            "");
}

TEST_F(Mnist, LabelsAreDigits) {
  std::vector<int> labels = kTrain;
  labels[6] = 10;
  Put("train-labels-idx1-ubyte", Labels(labels));
  EXPECT_EQ(FaultsOf(Error(), Path("train-labels-idx1-ubyte"),
                     {"label 10 of image 7", "0 to 9"}),
            "");
}

TEST_F(Mnist, DigitsThatCannotBeAreRefused) {
  for (const std::vector<std::string>& digits :
       {std::vector<std::string>{"1", "10"},
        {"1", "x"},
        {"1", ""},
        {"1", "2", "1"},
        {"3"}}) {
    MnistOptions options = Options();
    options.digits = digits;
    EXPECT_THROW(MakeMnist<float>(options), UsageError) << FormatValue(digits);
  }
  // A digit that no image has: the validation part here has no 5.
  MnistOptions options = Options();
  options.digits = {"5", "9"};
  EXPECT_EQ(FaultsOf(DataErrorOf([&] { MakeMnist<float>(options); }),
                     Path("t10k-images-idx3-ubyte"), {"no images"}),
            "");
}

}  // namespace
}  // namespace sven::data::mnist_test
