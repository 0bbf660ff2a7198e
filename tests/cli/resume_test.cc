// SPDX-License-Identifier: MIT
//
// 7 steps, and 5 more in a new process, are 12 steps: bit for bit, parameters
// and the optimizer's state alike.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "sven/data/safetensors.h"
#include "sven/optim/registry.h"

namespace sven::data::resume_test {
namespace {

struct ResumeCase {
  std::string optimizer;
  std::string options;
};

// Every optimizer, with settings that give its state something to hold.
std::vector<ResumeCase> Cases() {
  std::vector<ResumeCase> cases = {
      {"sven",
       "--lr 0.01 --momentum 0.9 --rms post "
       "--parameter-batch neurons --fraction 0.5"},
      {"sven", "--lr 0.01 --rms pre --road randomised --variable-k"},
      {"adamw", "--schedule cosine:steps=12,warmup=2"},
      {"adam", "--amsgrad --clip 1"},
      {"rmsprop", "--momentum 0.5 --centered"},
      {"sgd", "--momentum 0.9 --nesterov"},
      {"lbfgs", "--max-iter 3 --history-size 4 --line-search strong_wolfe"},
      {"levenberg_marquardt", "--rule radius"},
      {"kfac", "--form factored --fisher empirical --every 3"},
      {"shampoo", "--graft none --every 2"},
  };
  for (const optim::OptimizerInfo& info : optim::AllOptimizers()) {
    const bool averages = info.name == "schedule_free_adamw";
    cases.push_back({std::string(info.name),
                     std::string(averages ? "" : "--ema 0.9 ") +
                         "--schedule step:every=2,factor=0.9,warmup=3"});
  }
  return cases;
}

class ResumeTest : public ::testing::Test {
 protected:
  ResumeTest()
      : folder_(std::filesystem::path(::testing::TempDir()) /
                ("sven_resume_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~ResumeTest() override { std::filesystem::remove_all(folder_); }

  // Runs steps of the case; the tensors that it writes, but for those whose
  // length is the number of steps.
  SafetensorsFile Run(const ResumeCase& resume_case, const std::string& dtype,
                      const std::string& more) {
    const std::string out = folder_ / "out";
    const std::string command =
        std::string(SVEN_PROGRAM) + " step " + SVEN_TEST_DATA +
        "/parity/sven_toy_k8.safetensors --optimizer " + resume_case.optimizer +
        " " + resume_case.options + " --dtype " + dtype + " " + more +
        " --out " + out + " > /dev/null 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    SafetensorsFile file = ReadSafetensors(out);
    std::erase_if(file.tensors,
                  [](const auto& entry) { return entry.first == "losses"; });
    return file;
  }

  std::filesystem::path folder_;
};

TEST_F(ResumeTest, SevenStepsAndFiveMoreAreTwelveBitForBit) {
  for (const ResumeCase& resume_case : Cases()) {
    for (const char* dtype : {"f32", "f64"}) {
      const std::string half = folder_ / "half";
      const auto whole = Run(resume_case, dtype, "--steps 12");
      WriteSafetensors(half, Run(resume_case, dtype, "--steps 7"));
      const auto rest = Run(resume_case, dtype, "--steps 5 --resume " + half);
      EXPECT_EQ(rest.tensors, whole.tensors)
          << resume_case.optimizer << " " << resume_case.options << ", "
          << dtype;
      // The state counts the steps of both runs.
      const Tensor* steps = rest.Find("optimizer.chain.steps");
      ASSERT_NE(steps, nullptr);
      EXPECT_EQ(steps->Integers(), std::vector<std::int64_t>{12});
    }
  }
}

}  // namespace
}  // namespace sven::data::resume_test
