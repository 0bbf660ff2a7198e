// SPDX-License-Identifier: MIT
//
// Shampoo: Adagrad with a matrix on each side of the gradient of a layer (Gupta,
// Koren and Singer, 2018).
#ifndef SVEN_OPTIM_SHAMPOO_H_
#define SVEN_OPTIM_SHAMPOO_H_

#include <vector>

#include "sven/base/fields.h"
#include "sven/optim/gradient_method.h"
#include "sven/optim/layer_factors.h"

namespace sven::optim {

// What the length of a layer's step is taken from.
enum class ShampooGraft { kNone, kAdam };

// With the gradient G of a layer's [W b], the bias as one more column:
//   L <- L + G G^T,  R <- R + G^T G                          from zero
//   V  = (L + eps I)^-1/4 G (R + eps I)^-1/4
//   V  = |a| / |V| V      if graft = adam, with the layer's step a of Adam
//   [W b] <- [W b] - lr V
// Eigenbases of L and R are computed every `every` steps. In between, the
// diagonals of L and R in the last bases stand for the eigenvalues: a direction
// that G enters for the first time has a value of the size of its square there,
// and not the fourth root of eps.
struct ShampooOptions {
  static constexpr ChainFit kChainFit = {.clip = true};

  double learning_rate = 1e-2;
  double eps = 1e-12;
  ShampooGraft graft = ShampooGraft::kAdam;
  // Of the Adam whose length is taken.
  double beta1 = 0.9;
  double beta2 = 0.999;
  double adam_eps = 1e-8;
  // Steps from one computation of the roots to the next.
  Index every = 10;
  double weight_decay = 0;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"lr", "learning rate", {.low = 0, .low_open = true}},
          self.learning_rate);
    visit(Field{"eps",
                "added to the eigenvalues of the factors",
                {.low = 0, .low_open = true}},
          self.eps);
    visit(Field{"graft", "take the length of each layer's step from adam"},
          self.graft);
    visit(Field{"beta1",
                "graft: share of Adam's mean kept",
                {.low = 0, .high = 1, .high_open = true}},
          self.beta1);
    visit(Field{"beta2",
                "graft: share of Adam's mean square kept",
                {.low = 0, .high = 1, .high_open = true}},
          self.beta2);
    visit(Field{"adam_eps",
                "graft: added to the root of the mean square",
                {.low = 0, .low_open = true}},
          self.adam_eps);
    visit(Field{"every",
                "steps from one computation of the roots to the next",
                {.low = 1}},
          self.every);
    visit(Field{"weight_decay",
                "L2 penalty added to the gradient",
                {.low = 0, .high = 1000}},
          self.weight_decay);
  }

  // Throws a UsageError naming the first field that is wrong.
  void Validate() const;
};

template <class T>
struct ShampooState {
  std::int64_t steps = 0;
  std::vector<LayerFactors> layers;
  // Of Adam; empty without grafting.
  AlignedVector<T> mean;
  AlignedVector<T> mean_square;
  bool operator==(const ShampooState&) const = default;

  void Visit(StateArchive& archive);
};

template <class T>
class Shampoo : public GradientMethod<T> {
 public:
  explicit Shampoo(const ShampooOptions& options = {},
                   const ChainOptions& chain = {});

  [[nodiscard]] const ShampooOptions& Options() const { return options_; }
  [[nodiscard]] const ShampooState<T>& State() const { return state_; }

 private:
  double Transform(const GradientPoint<T>& point, std::span<T> update) override;
  void PrepareState(const nn::Mlp<T>& net) override;
  void VisitMethodState(StateArchive& archive) override {
    state_.Visit(archive);
  }

  // Fills adam_ with Adam's step for the gradient g.
  void TakeAdamStep(const nn::Mlp<T>& net, std::span<const T> g);
  // L, R <- with direction_ = G.
  void Accumulate(LayerFactors& factors);
  // direction_ <- V, before grafting.
  void Precondition(bool refresh, LayerFactors& factors);
  // The factor of the layer's step, grafting included.
  [[nodiscard]] double Length(const nn::DenseLayer& layer) const;

  ShampooOptions options_;
  ShampooState<T> state_;
  LayerBasis basis_;
  MatrixBuffer<double> direction_;
  MatrixBuffer<double> product_;
  AlignedVector<double> left_roots_;
  AlignedVector<double> right_roots_;
  AlignedVector<T> adam_;
};

}  // namespace sven::optim

template <>
struct sven::EnumNames<sven::optim::ShampooGraft> {
  static constexpr std::pair<std::string_view, optim::ShampooGraft> kTable[] = {
      {"none", optim::ShampooGraft::kNone},
      {"adam", optim::ShampooGraft::kAdam},
  };
};

#endif  // SVEN_OPTIM_SHAMPOO_H_
