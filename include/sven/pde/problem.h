// SPDX-License-Identifier: MIT
//
// A differential equation whose solution is a network:
//
//   struct Poisson {                           // Laplacian u = - f
//     template <class S>
//     S operator()(const pde::Field<double, S>& u) const {
//       return u.Laplacian() + f(u.X(0), u.X(1));
//     }
//   };
//   struct Edge {                              // u = 0
//     template <class S>
//     S operator()(const pde::Field<double, S>& u) const { return u.Value(); }
//   };
//
//   nn::Mlp<double> net({2, 20, 20, 1}, nn::Activation::kTanh, /*seed=*/1);
//   pde::Problem<double> problem(net);
//   problem.Add("interior", points, Poisson(),
//               {.derivatives = nn::Derivatives::kLaplacian});
//   problem.Add("edge", edge_points, Edge(), {.weight = 100});
//   const auto summary = sven::Solve(problem, net.Parameters());
//
// point_conditions.h says what functions there may be; docs/conditions.md is the
// introduction. Weights, batches and R are as in solve/problem.h:
//
//     R = sqrt(v_g n_g / b_g) r.
//
// Products are made from the jets, without the Jacobian. (Solve forms it where it
// has at most 4 million entries, to see how long its columns are.)
#ifndef SVEN_PDE_PROBLEM_H_
#define SVEN_PDE_PROBLEM_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sven/nn/jet_linearization.h"
#include "sven/pde/point_conditions.h"
#include "sven/solve/group.h"
#include "sven/solve/system.h"

namespace sven::pde {

struct GroupOptions {
  // What the conditions may ask for.
  nn::Derivatives derivatives = nn::Derivatives::kValue;
  // v_g > 0; the squares of the group are multiplied by it.
  double weight = 1;
  // b_g: points drawn for each step, all of them if none.
  std::optional<Index> batch = std::nullopt;
};

template <class T>
class Problem : public solve::System<T> {
 public:
  // The network's layers are copied. Its parameters come first in theta, and
  // `unknowns` of the equation itself behind them.
  explicit Problem(const nn::Mlp<T>& net, Index unknowns = 0);

  // One condition per row of `points` (n x inputs). Throws a UsageError for
  // options out of range, points that do not fit the network or are not finite,
  // a name that is taken, or derivatives that the network's activations do not
  // have.
  template <class F>
  void Add(std::string_view name, Matrix<T> points, F function,
           const GroupOptions& options = {}) {
    Add(name, std::move(points), MakePointConditions<T>(std::move(function)),
        options);
  }
  void Add(std::string_view name, Matrix<T> points,
           std::unique_ptr<PointConditions<T>> conditions,
           const GroupOptions& options = {});

  // theta with the network's parameters and these unknowns.
  [[nodiscard]] AlignedVector<T> Start(std::span<const T> unknowns = {}) const;
  // The residuals r of one group, neither weighted nor drawn.
  [[nodiscard]] Vector<double> GroupResiduals(std::string_view name,
                                              std::span<const T> theta);

  [[nodiscard]] Index NumConditions() const override;
  [[nodiscard]] Index NumParameters() const override {
    return net_.NumParameters() + unknowns_;
  }
  [[nodiscard]] std::span<const double> Residuals() const override {
    return residuals_;
  }
  void Gram(linalg::Accumulation accumulation, MatrixRef<double> K) override {
    linearization_.Gram(accumulation, K);
  }
  void PullBack(std::span<const double> w, std::span<T> out) override {
    linearization_.PullBack(w, out);
  }
  void PushForward(std::span<const T> v, std::span<double> out) override {
    linearization_.PushForward(v, out);
  }
  void Jacobian(MatrixRef<double> M) override { linearization_.Jacobian(M); }

  [[nodiscard]] double Cost(std::span<const T> theta) override;
  void MoveTo(std::span<const T> theta) override;
  [[nodiscard]] double CostHere() const override { return cost_; }
  [[nodiscard]] bool Sampled() const override;
  void Draw(RandomStream& random) override;
  [[nodiscard]] double FullCost(std::span<const T> theta) override;
  [[nodiscard]] std::string Fault() const override { return fault_; }
  [[nodiscard]] std::string Describe(Index a) const override;
  // Compares the Slopes of conditions that have them with finite differences of
  // the conditions in their jets.
  [[nodiscard]] std::string JacobianFault(
      std::span<const T> theta, const solve::Bounds<T>& bounds) override;

  // The road to K, for measurements and tests.
  void SetRoad(nn::JetRoad road) { linearization_.SetRoad(road); }

 private:
  struct Group : solve::GroupRows {
    Matrix<T> points;
    std::unique_ptr<PointConditions<T>> conditions;
    GroupOptions options;
    MatrixBuffer<T> drawn;   // points of this step
    MatrixBuffer<T> slopes;  // in the unknowns, b x unknowns
    nn::JetPropagation<T> jets;
  };

  void CheckPoints(std::string_view name, const Matrix<T>& points) const;
  // Fills `to` with some points of a group.
  static void Gather(const Group& group, std::span<const Index> rows,
                     MatrixBuffer<T>& to);
  // Scaled residuals of some rows, in blocks; returns the sum of their squares.
  double Evaluate(Group& group, std::span<const Index> rows, double scale,
                  std::span<double> out);
  void Linearise(Group& group, std::span<double> residuals);
  // A scaled residual's square, and a note of the first that is not finite.
  double Square(const Group& group, Index row, double residual);
  void SetTrial(std::span<const T> theta);
  // Of a group's conditions at some of its points: what is wrong with Slopes.
  [[nodiscard]] std::string SlopesFault(Group& group,
                                        const solve::Bounds<T>& bounds);

  nn::Mlp<T> net_;    // at theta of MoveTo
  nn::Mlp<T> trial_;  // at theta of Cost
  Index unknowns_;
  AlignedVector<T> unknowns_here_;
  AlignedVector<T> unknowns_trial_;
  std::vector<Group> groups_;
  std::vector<nn::JetPart<T>> parts_;
  nn::JetLinearization<T> linearization_;
  std::vector<double> residuals_;
  std::vector<double> scratch_;
  nn::JetPropagation<T> block_jets_;  // of Cost
  MatrixBuffer<T> block_points_;
  double cost_ = 0;
  std::string fault_;
};

}  // namespace sven::pde

#endif  // SVEN_PDE_PROBLEM_H_
