// SPDX-License-Identifier: MIT
//
// After the first step of a shape, a step allocates nothing. malloc is replaced
// by one that counts.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>

#include "sven/core/jacobian_descent.h"
#include "sven/optim/lbfgs.h"
#include "sven/optim/registry.h"
#include "sven/optim/sgd.h"
#include "sven/optim/sven.h"
#include "sven/pde/problem.h"
#include "sven/solve/solve.h"
#include "testing/conditions.h"
#include "testing/problems.h"

namespace {
std::atomic<long> allocations = 0;
}  // namespace

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* pointer, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* pointer, std::size_t size) {
  ++allocations;
  return __libc_realloc(pointer, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** pointer, std::size_t alignment, std::size_t size) {
  ++allocations;
  *pointer = __libc_memalign(alignment, size);
  return *pointer == nullptr ? 12 : 0;
}
}

namespace sven::optim::allocation_test {
namespace {

template <class T>
long AllocationsInLaterSteps(const testing::ProblemSpec& spec,
                             Optimizer<T>& optimizer) {
  testing::Problem<T> problem = testing::MakeProblem<T>(spec);
  const nn::Batch<T> batch = problem.Batch();
  EXPECT_TRUE(optimizer.Step(problem.net, problem.loss, batch).Applied());
  const long before = allocations;
  for (int step = 0; step < 20; ++step) {
    optimizer.Step(problem.net, problem.loss, batch);
  }
  return allocations - before;
}

const testing::ProblemSpec kSmall = {.widths = {1, 16, 16, 16, 1}, .batch = 32};
const testing::ProblemSpec kImages = {.widths = {784, 32, 32, 10},
                                      .batch = 64,
                                      .loss = nn::Loss::kLabelRegression};
const testing::ProblemSpec kWide = {
    .widths = {100, 300, 10}, .batch = 200, .loss = nn::Loss::kCrossEntropy};

TEST(Allocation, TheCounterCounts) {
  const long before = allocations;
  const auto pointer = std::make_unique<std::vector<int>>(100);
  EXPECT_GE(allocations - before, 2) << pointer->size();
}

TEST(Allocation, NoneInASvenStep) {
  for (const auto& spec : {kSmall, kImages, kWide}) {
    for (const double kappa : {1.0, 2.0}) {
      for (const Index micro_batch : {1, 3}) {
        const SvenOptions options{.learning_rate = 1e-3,
                                  .truncation = {.k = 16},
                                  .kappa = kappa,
                                  .micro_batch = micro_batch};
        Sven<float> single(options);
        EXPECT_EQ(AllocationsInLaterSteps<float>(spec, single), 0);
        Sven<double> twice(options);
        EXPECT_EQ(AllocationsInLaterSteps<double>(spec, twice), 0);
      }
    }
  }
}

TEST(Allocation, NoneWhenTheLastBatchOfAnEpochIsSmaller) {
  for (const Index micro_batch : {1, 3}) {
    testing::Problem<float> problem = testing::MakeProblem<float>(kImages);
    Sven<float> optimizer({.learning_rate = 1e-3,
                           .truncation = {.k = 16},
                           .micro_batch = micro_batch});
    const nn::Batch<float> full = problem.Batch();
    const nn::Batch<float> small = {.x = {full.x.data(), 16, full.x.cols()},
                                    .y = {full.y.data(), 16, full.y.cols()},
                                    .labels = full.labels.first(16)};
    optimizer.Step(problem.net, problem.loss, full);
    const long before = allocations;
    for (int i = 0; i < 10; ++i) {
      optimizer.Step(problem.net, problem.loss, i % 2 == 0 ? small : full);
    }
    EXPECT_EQ(allocations - before, 0);
  }
}

TEST(Allocation, NoneInAStepOfAnyOptimizer) {
  for (const OptimizerInfo& info : AllOptimizers()) {
    OptimizerChoice choice = ChooseOptimizer("", info.name);
    choice.Set("", "lr", "1e-3");
    choice.Set("", "momentum", "0.5");
    choice.Set("", "ema", "0.9");
    // The memory of L-BFGS grows until it is full.
    choice.Set("", "history_size", "3");
    const auto optimizer = choice.Make<float>();
    testing::Problem<float> problem = testing::MakeProblem<float>(kSmall);
    const nn::Batch<float> batch = problem.Batch();
    // Several, so that all that happens now and then has happened.
    for (int step = 0; step < 25; ++step) {
      optimizer->Step(problem.net, problem.loss, batch);
    }
    const long before = allocations;
    for (int step = 0; step < 25; ++step) {
      optimizer->Step(problem.net, problem.loss, batch);
    }
    EXPECT_EQ(allocations - before, 0) << info.name;
  }
}

TEST(Allocation, NoneInWhatSvenCombinesWith) {
  using Place = RmsScaling::Place;
  for (const Place place :
       {Place::kNone, Place::kPost, Place::kPre, Place::kPreAsPublished}) {
    Sven<double> optimizer(
        {.learning_rate = 1e-3,
         .truncation = {.k = 16},
         .momentum = {.momentum = 0.9, .nesterov = true},
         .rms = {.place = place, .eps = 0.1}},
        {.schedule = {.warmup = 3}, .max_update = 0.1, .decoupled_decay = 0.1});
    EXPECT_EQ(AllocationsInLaterSteps<double>(kSmall, optimizer), 0)
        << Name(place);
  }
}

TEST(Allocation, NoneForManyOutputs) {
  Sven<double> optimizer({.learning_rate = 1e-3});
  EXPECT_EQ(AllocationsInLaterSteps<double>(
                {.widths = {4, 8, 500}, .batch = 16}, optimizer),
            0);
}

TEST(Allocation, NoneOnTheOtherRoads) {
  for (const core::Road road : {core::Road::kRandomised, core::Road::kDense}) {
    Sven<double> optimizer(
        {.learning_rate = 1e-3, .truncation = {.k = 8}, .road = road});
    EXPECT_EQ(AllocationsInLaterSteps<double>(kSmall, optimizer), 0)
        << Name(road);
  }
}

TEST(Allocation, NoneForConflictFreeWeightsWhateverTheConflicts) {
  for (const auto aggregation :
       {core::Aggregation::kUpGrad, core::Aggregation::kDualProj}) {
    core::ConflictFreeWeights weights;
    std::vector<double> w(200);
    // Without conflict, and then with more and more.
    Matrix<double> K = Matrix<double>::Identity(200, 200);
    const auto compute = [&](Index B) {
      const Matrix<double> part = K.topLeftCorner(B, B);
      const long before = allocations;
      EXPECT_EQ(
          weights.Compute(View(part), aggregation, 1e-4, std::span(w).first(B)),
          StepStatus::kOk);
      return allocations - before;
    };
    EXPECT_GT(compute(200), 0);
    for (const Index directions : {400, 2, 1, 100}) {
      const Matrix<double> M = testing::RandomMatrix(200, directions, 1);
      K = M * M.transpose();
      for (const Index B : {4, 60, 200}) EXPECT_EQ(compute(B), 0) << B;
    }
  }
}

TEST(Allocation, NoneInAnSgdStep) {
  for (const auto& spec : {kSmall, kImages, kWide}) {
    Sgd<float> optimizer({.learning_rate = 1e-3, .momentum = 0.9});
    EXPECT_EQ(AllocationsInLaterSteps<float>(spec, optimizer), 0);
  }
}

TEST(Allocation, NoneInAnLbfgsStepWithAFullHistory) {
  for (const LineSearch search :
       {LineSearch::kNone, LineSearch::kStrongWolfe}) {
    Lbfgs<double> optimizer({.learning_rate = 0.01,
                             .max_iter = 8,
                             .max_eval = 100,
                             .history_size = 3,
                             .line_search = search});
    testing::Problem<double> problem = testing::MakeProblem<double>(kSmall);
    const nn::Batch<double> batch = problem.Batch();
    for (int step = 0; step < 2; ++step) {
      optimizer.Step(problem.net, problem.loss, batch);
    }
    ASSERT_EQ(optimizer.State().counters.pairs, 3);
    const long before = allocations;
    for (int step = 0; step < 10; ++step) {
      optimizer.Step(problem.net, problem.loss, batch);
    }
    EXPECT_EQ(allocations - before, 0) << Name(search);
  }
}

}  // namespace
}  // namespace sven::optim::allocation_test

namespace sven::solve {
namespace {

// From the third iteration of Solve on.
template <class F>
long AllocationsInLaterIterations(const Method& method, const F& function,
                                  const GroupOptions& group) {
  Problem<double> problem(4);
  problem.Add("wave", 20, function, group);
  std::vector<double> theta = {0.5, 0.1, 0.7, -0.9};
  long early = 0;
  long late = 0;
  Solve(problem, theta,
        {.method = method,
         .tolerances = {.gradient = 0, .step = 0, .cost = 0},
         .max_iterations = 8,
         .observers = {[&](const Iteration<double>& iteration) {
           (iteration.number <= 2 ? early : late) = allocations;
           return Next::kContinue;
         }}});
  EXPECT_GT(late, 0);
  return late - early;
}

TEST(Allocation, NoneInAnIterationOfSolve) {
  for (const Method& method :
       {Method(LevenbergMarquardt{}), Method(AdaptiveSven{}),
        Method(Sven{.learning_rate = 0.1}), Method(Spring{})}) {
    for (const GroupOptions& group :
         {GroupOptions{}, GroupOptions{.mode = Mode::kReverse},
          GroupOptions{.weight = 2, .batch = 7}}) {
      EXPECT_EQ(AllocationsInLaterIterations(method, testing::WaveAll(), group),
                0)
          << method.index();
      EXPECT_EQ(
          AllocationsInLaterIterations(method, testing::WaveRows(), group), 0)
          << method.index();
      EXPECT_EQ(AllocationsInLaterIterations(
                    method, testing::WaveJacobianRows(), group),
                0)
          << method.index();
    }
  }
}

}  // namespace
}  // namespace sven::solve

namespace sven::pde {
namespace {

// From the third iteration on, on the dense road and on that of K; with jets
// that are differentiated in duals and on the tape; in batches, too.
TEST(Allocation, NoneInAnIterationOnADifferentialEquation) {
  const auto condition = [](const auto& u) {
    return u.Laplacian() + u.Value() * u.D(0) - 1.0;
  };
  for (const Index inputs : {2, 20}) {
    for (const Index points : {30, 300}) {
      for (const bool drawn : {false, true}) {
        nn::Mlp<double> net({inputs, 16, 16, 1}, nn::Activation::kTanh, 1);
        RandomStream random(1, RandomUse::kData);
        Matrix<double> x(points, inputs);
        for (Index k = 0; k < x.size(); ++k) x.data()[k] = random.Uniform();
        Problem<double> problem(net);
        GroupOptions options{.derivatives = nn::Derivatives::kLaplacian};
        if (drawn) options.batch = points - 3;
        problem.Add("interior", x, condition, options);
        long early = 0;
        long late = 0;
        Solve(problem, net.Parameters(),
              {.method = solve::AdaptiveSven{},
               .tolerances = {.gradient = 0, .step = 0, .cost = 0},
               .max_iterations = 6,
               .observers = {[&](const solve::Iteration<double>& iteration) {
                 (iteration.number <= 2 ? early : late) = allocations;
                 return solve::Next::kContinue;
               }}});
        EXPECT_GT(late, 0);
        EXPECT_EQ(late - early, 0)
            << inputs << " inputs, " << points << " points, " << drawn;
      }
    }
  }
}

}  // namespace
}  // namespace sven::pde
