// SPDX-License-Identifier: MIT
//
// Conditions of one's own, in groups:
//
//   struct Decay {                       // data y_a at times t_a
//     std::vector<double> t, y;
//     template <class T>
//     void operator()(std::span<const T> theta, std::span<T> residuals) const {
//       using std::exp;
//       for (std::size_t a = 0; a < t.size(); ++a) {
//         residuals[a] = theta[0] * exp(-theta[1] * t[a]) - y[a];
//       }
//     }
//   };
//
//   solve::Problem<double> problem(2);   // parameters
//   problem.Add("data", 20, Decay{t, y});
//   std::vector<double> theta = {1, 1};
//   const auto summary = sven::Solve<double>(problem, theta);
//
// function_conditions.h says what functions there may be. With weights v_g, and
// b_g of the n_g conditions of a group drawn for a step,
//
//     R = sqrt(v_g n_g / b_g) r,      |R|^2 = sum_g v_g (n_g / b_g) sum r^2,
//
// so that the share of a group in the cost does not depend on its batch.
#ifndef SVEN_SOLVE_PROBLEM_H_
#define SVEN_SOLVE_PROBLEM_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sven/linalg/matrix_buffer.h"
#include "sven/linalg/row_compression.h"
#include "sven/solve/differentiated_conditions.h"
#include "sven/solve/group.h"
#include "sven/solve/system.h"

namespace sven::solve {

struct GroupOptions {
  // v_g > 0; the squares of the group are multiplied by it.
  double weight = 1;
  // b_g: conditions drawn for each step, all of them if none.
  std::optional<Index> batch = std::nullopt;
  // For functions that are differentiated automatically.
  Mode mode = Mode::kAuto;
};

// The Jacobian M (B x N) is kept if it has at most `stored_entries` entries.
// Beyond that
//   B > N    it is streamed in blocks of rows into a triangle, M = Q T, and the
//            conditions become Q^T R with the Jacobian T (N x N): the same steps,
//            nothing squared, N^2 numbers kept however large B is;
//   B <= N   K = M M^T is made from pairs of blocks of rows, and the products ask
//            the functions again.
struct StorageOptions {
  Index stored_entries = Index{1} << 25;  // 256 MB in double
};

template <class T>
class Problem : public System<T> {
 public:
  explicit Problem(Index parameters, const StorageOptions& storage = {});

  // A group of `count` conditions. Throws a UsageError for a count, weight or
  // batch out of range or a name that is taken.
  template <class F>
  void Add(std::string_view name, Index count, F function,
           const GroupOptions& options = {}) {
    Add(name, MakeConditions<T>(count, std::move(function), options.mode),
        options);
  }
  void Add(std::string_view name, std::unique_ptr<Conditions<T>> conditions,
           const GroupOptions& options = {});

  // The residuals r of one group, neither weighted nor drawn.
  [[nodiscard]] Vector<double> GroupResiduals(std::string_view name,
                                              std::span<const T> theta);

  [[nodiscard]] Index NumConditions() const override;
  [[nodiscard]] Index NumParameters() const override { return N_; }
  [[nodiscard]] std::span<const double> Residuals() const override {
    return residuals_;
  }
  [[nodiscard]] double Loss() const override;
  void Gram(linalg::Accumulation accumulation, MatrixRef<double> K) override;
  void PullBack(std::span<const double> w, std::span<T> out) override;
  void PushForward(std::span<const T> v, std::span<double> out) override;
  void Jacobian(MatrixRef<double> M) override;

  [[nodiscard]] double Cost(std::span<const T> theta) override;
  void MoveTo(std::span<const T> theta) override;
  [[nodiscard]] double CostHere() const override { return cost_; }
  [[nodiscard]] Index NumSummed() const override { return Drawn(); }
  [[nodiscard]] bool Sampled() const override;
  void Draw(RandomStream& random) override;
  [[nodiscard]] double FullCost(std::span<const T> theta) override;
  [[nodiscard]] std::string Fault() const override { return fault_; }
  [[nodiscard]] std::string Describe(Index a) const override;
  [[nodiscard]] std::string JacobianFault(std::span<const T> theta,
                                          const Bounds<T>& bounds) override;

  // A group as the check of its Jacobian sees it.
  struct Group : GroupRows {
    std::unique_ptr<Conditions<T>> conditions;
    GroupOptions options;
  };
  [[nodiscard]] std::span<const Group> Groups() const { return groups_; }

 private:
  enum class Storage { kStored, kCompressed, kAskedAgain };

  [[nodiscard]] Index Drawn() const { return CountRows(groups_); }
  [[nodiscard]] Storage ChooseStorage() const;
  // Calls visit(group, rows, first) for blocks of at most `limit` rows of the
  // drawn conditions; `first` is the place of the block among all of them.
  template <class Visit>
  void ForBlocks(Index limit, Visit&& visit);
  // Scaled residuals of some rows; returns the sum of their squares.
  double Evaluate(Group& group, const Place<T>& at, double scale,
                  std::span<double> out);
  void RowsOf(Group& group, std::span<const Index> rows, MatrixView<T> M);
  void Compress();
  void GramOfBlocks(linalg::Accumulation accumulation, MatrixRef<double> K);

  Index N_;
  StorageOptions storage_;
  std::vector<Group> groups_;
  Storage kind_ = Storage::kStored;
  AlignedVector<T> theta_;  // where MoveTo was last
  std::vector<double> residuals_;
  std::vector<double> scratch_;  // residuals of a trial
  AlignedVector<T> values_;      // one block, as the functions give it
  double cost_ = 0;
  std::string fault_;
  MatrixBuffer<T> M_;
  MatrixBuffer<T> block_;
  MatrixBuffer<T> other_;
  linalg::RowCompression compression_;
  linalg::GramProduct<T> gram_;
};

}  // namespace sven::solve

#endif  // SVEN_SOLVE_PROBLEM_H_
