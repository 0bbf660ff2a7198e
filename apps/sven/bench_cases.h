// SPDX-License-Identifier: MIT
//
// The cases of `sven bench`: networks and batches as in the paper, and one
// large network.
#ifndef SVEN_APPS_SVEN_BENCH_CASES_H_
#define SVEN_APPS_SVEN_BENCH_CASES_H_

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sven/sven.h"

namespace sven::cli {

struct BenchCase {
  const char* name;
  const char* dtype;  // "f32" or "f64"
  std::vector<Index> widths;
  Index batch;
  nn::Loss::Kind loss;
  Index k;
  double rtol;
};

const std::vector<BenchCase>& BenchCases();

// One optimizer at work on one case.
class BenchRun {
 public:
  virtual ~BenchRun() = default;
  virtual StepReport Step() = 0;
  [[nodiscard]] virtual Index NumParameters() const = 0;
};

std::unique_ptr<BenchRun> StartBenchRun(const BenchCase& bench_case,
                                        const std::string& optimizer);

}  // namespace sven::cli

#endif  // SVEN_APPS_SVEN_BENCH_CASES_H_
