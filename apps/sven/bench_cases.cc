// SPDX-License-Identifier: MIT
#include "bench_cases.h"

#include <string_view>

namespace sven::cli {
namespace {

template <class T>
std::unique_ptr<optim::Optimizer<T>> MakeOptimizer(const BenchCase& bench_case,
                                                   const std::string& name) {
  optim::OptimizerChoice choice = optim::ChooseOptimizer("--optimizer", name);
  // Small rates: the measured steps should not run away from the start.
  choice.Set("lr", "lr", "1e-3");
  choice.Set("k", "k", FormatValue(bench_case.k));
  choice.Set("rtol", "rtol", FormatValue(bench_case.rtol));
  return choice.Make<T>();
}

// Normal inputs, targets to match: the time of a step does not depend on what
// the data mean.
template <class T>
data::Dataset<T> MakeData(const BenchCase& bench_case) {
  RandomStream random(1, RandomUse::kData);
  data::Dataset<T> result;
  const Index inputs = bench_case.widths.front();
  const Index outputs = bench_case.widths.back();
  result.x.resize(bench_case.batch, inputs);
  for (Index i = 0; i < result.x.size(); ++i) {
    result.x.data()[i] = static_cast<T>(random.Normal());
  }
  if (nn::Loss(bench_case.loss).UsesLabels()) {
    for (Index a = 0; a < bench_case.batch; ++a) {
      result.labels.push_back(random.Below(outputs));
    }
  } else {
    result.y.resize(bench_case.batch, outputs);
    for (Index i = 0; i < result.y.size(); ++i) {
      result.y.data()[i] = static_cast<T>(random.Normal());
    }
  }
  return result;
}

template <class T>
class TypedRun : public BenchRun {
 public:
  TypedRun(const BenchCase& bench_case, const std::string& optimizer)
      : net_(bench_case.widths, nn::Activation::kGelu, /*seed=*/1),
        loss_(bench_case.loss),
        data_(MakeData<T>(bench_case)),
        optimizer_(MakeOptimizer<T>(bench_case, optimizer)) {}

  StepReport Step() override {
    return optimizer_->Step(net_, loss_, data_.All());
  }
  [[nodiscard]] Index NumParameters() const override {
    return net_.NumParameters();
  }

 private:
  nn::Mlp<T> net_;
  nn::Loss loss_;
  data::Dataset<T> data_;
  std::unique_ptr<optim::Optimizer<T>> optimizer_;
};

}  // namespace

const std::vector<BenchCase>& BenchCases() {
  static const std::vector<BenchCase> cases = {
      {"toy1d",
       "f64",
       {1, 16, 16, 16, 1},
       32,
       nn::Loss::kSquaredError,
       16,
       1e-3},
      {"polynomial",
       "f64",
       {6, 16, 16, 16, 1},
       32,
       nn::Loss::kSquaredError,
       16,
       1e-3},
      {"mnist",
       "f32",
       {784, 32, 32, 32, 10},
       64,
       nn::Loss::kLabelRegression,
       32,
       1e-3},
      {"wide",
       "f32",
       {784, 2048, 2048, 2048, 10},
       256,
       nn::Loss::kLabelRegression,
       128,
       1e-3},
  };
  return cases;
}

std::unique_ptr<BenchRun> StartBenchRun(const BenchCase& bench_case,
                                        const std::string& optimizer) {
  if (std::string_view(bench_case.dtype) == "f32") {
    return std::make_unique<TypedRun<float>>(bench_case, optimizer);
  }
  return std::make_unique<TypedRun<double>>(bench_case, optimizer);
}

}  // namespace sven::cli
