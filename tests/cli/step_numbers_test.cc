// SPDX-License-Identifier: MIT
//
// The numbers that `sven step` writes, against the reference cases.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "sven/data/safetensors.h"

namespace sven::data::step_numbers_test {
namespace {

std::vector<double> ValuesOf(const SafetensorsFile& file,
                             const std::string& name) {
  const Tensor* tensor = file.Find(name);
  return tensor == nullptr ? std::vector<double>{} : tensor->Values<double>();
}

// |a - b| / |scale|
double Distance(const std::vector<double>& a, const std::vector<double>& b,
                const std::vector<double>& scale) {
  EXPECT_EQ(a.size(), b.size());
  double difference = 0;
  double size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    size += scale[i] * scale[i];
  }
  return std::sqrt(difference / size);
}

class StepNumbersTest : public ::testing::TestWithParam<std::string> {
 protected:
  void Run(const std::string& options) {
    const std::string in = GetParam();
    const std::string out = std::filesystem::path(::testing::TempDir()) /
                            ("sven_step_numbers_" + std::to_string(getpid()));
    const std::string command = std::string(SVEN_PROGRAM) + " step " + in +
                                " --out " + out + options + " > /dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    expected_ = ReadSafetensors(in);
    written_ = ReadSafetensors(out);
    std::filesystem::remove(out);
  }

  // Relative to the change that the steps make, all parameters together.
  double ParameterError() const {
    std::vector<double> change;
    std::vector<double> after;
    std::vector<double> got;
    const std::string prefix = "expect.after.";
    for (const auto& [name, tensor] : expected_.tensors) {
      if (!name.starts_with(prefix)) continue;
      const std::string own = name.substr(prefix.size());
      const auto before = ValuesOf(expected_, own);
      const auto values = tensor.Values<double>();
      const auto result = ValuesOf(written_, own);
      for (std::size_t i = 0; i < values.size(); ++i) {
        change.push_back(values[i] - before[i]);
      }
      after.insert(after.end(), values.begin(), values.end());
      got.insert(got.end(), result.begin(), result.end());
    }
    return Distance(got, after, change);
  }

  bool IsLbfgs() const { return written_.metadata.at("optimizer") == "lbfgs"; }

  SafetensorsFile expected_;
  SafetensorsFile written_;
};

std::vector<std::string> Cases() {
  std::vector<std::string> paths;
  for (const char* folder : {"/parity", "/torch"}) {
    for (const auto& entry : std::filesystem::directory_iterator(
             std::string(SVEN_TEST_DATA) + folder)) {
      paths.push_back(entry.path());
    }
  }
  std::ranges::sort(paths);
  return paths;
}

INSTANTIATE_TEST_SUITE_P(All, StepNumbersTest, ::testing::ValuesIn(Cases()),
                         [](const auto& entry) {
                           const std::filesystem::path path = entry.param;
                           return path.parent_path().stem().string() + "_" +
                                  path.stem().string();
                         });

TEST_P(StepNumbersTest, AreThoseOfTheReference) {
  Run("");
  EXPECT_LT(ParameterError(), IsLbfgs() ? 1e-6 : 1e-8);
  EXPECT_EQ(written_.metadata.at("status"), "ok");
  const auto losses = ValuesOf(expected_, "expect.losses");
  EXPECT_LT(Distance(ValuesOf(written_, "losses"), losses, losses),
            IsLbfgs() ? 1e-7 : 1e-12);
  if (expected_.Find("expect.update") == nullptr) return;
  const auto update = ValuesOf(expected_, "expect.update");
  EXPECT_LT(Distance(ValuesOf(written_, "update"), update, update), 1e-8);
  const auto sigma = ValuesOf(expected_, "expect.sigma");
  EXPECT_LT(Distance(ValuesOf(written_, "sigma"), sigma, sigma), 1e-5);
  EXPECT_EQ(written_.metadata.at("kept"), expected_.metadata.at("expect_kept"));
}

TEST_P(StepNumbersTest, InSinglePrecisionToItsRounding) {
  Run(" --dtype f32");
  // A line search turns on comparisons, which rounding can decide otherwise.
  if (!IsLbfgs()) {
    EXPECT_LT(ParameterError(), 3e-3);
  }
  EXPECT_EQ(written_.Find("0.weight")->dtype, DType::kF32);
}

}  // namespace
}  // namespace sven::data::step_numbers_test
