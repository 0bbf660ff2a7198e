// SPDX-License-Identifier: MIT
//
// Muon: momentum, orthogonalised, for the matrices of the hidden layers (Jordan
// et al., 2024), and AdamW for all the rest.
#ifndef SVEN_OPTIM_MUON_H_
#define SVEN_OPTIM_MUON_H_

#include "sven/base/fields.h"
#include "sven/linalg/newton_schulz.h"
#include "sven/optim/gradient_method.h"

namespace sven::optim {

// Which weight matrices are orthogonalised.
enum class MuonMatrices {
  kHidden,  // all but those of the first and the last layer
  kAll,
};

// For a weight matrix W (rows x cols) with gradient G:
//   m <- momentum m + (1 - momentum) G
//   u  = momentum m + (1 - momentum) G                     (Nesterov's form)
//   X  = u / |u|, then `iterations` times a X + (b X X^T + c (X X^T)^2) X
//   W <- W - lr (sqrt(max(1, rows / cols)) X + weight_decay W)
// and AdamW with adam_lr and the same weight_decay for biases and the other
// weights. A schedule applies to both rates.
struct MuonOptions {
  static constexpr ChainFit kChainFit = {.clip = true,
                                         .decoupled_decay = false};

  double learning_rate = 0.02;
  double momentum = 0.95;
  Index iterations = 5;
  MuonMatrices matrices = MuonMatrices::kHidden;
  double weight_decay = 0;
  double adam_learning_rate = 3e-4;
  double beta1 = 0.9;
  double beta2 = 0.95;
  double eps = 1e-8;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    constexpr Range kShare = {.low = 0, .high = 1, .high_open = true};
    visit(Field{"lr",
                "learning rate of the orthogonalised matrices",
                {.low = 0, .low_open = true}},
          self.learning_rate);
    visit(Field{"momentum", "share of the last step kept", kShare},
          self.momentum);
    visit(Field{"iterations",
                "of Newton and Schulz's method",
                {.low = 1, .high = 100}},
          self.iterations);
    visit(Field{"matrices", "weight matrices that are orthogonalised"},
          self.matrices);
    visit(Field{"weight_decay",
                "decoupled weight decay, times the learning rate",
                {.low = 0}},
          self.weight_decay);
    visit(Field{"adam_lr",
                "learning rate of the rest, by AdamW",
                {.low = 0, .low_open = true}},
          self.adam_learning_rate);
    visit(Field{"beta1", "AdamW: share of the mean kept", kShare}, self.beta1);
    visit(Field{"beta2", "AdamW: share of the mean square kept", kShare},
          self.beta2);
    visit(Field{"eps",
                "AdamW: added to the root of the mean square",
                {.low = 0, .low_open = true}},
          self.eps);
  }

  // Throws a UsageError naming the first field that is wrong.
  void Validate() const;
};

template <class T>
struct MuonState {
  std::int64_t steps = 0;
  AlignedVector<T> mean;         // m, of Muon and of AdamW
  AlignedVector<T> mean_square;  // of AdamW; zero where there is none
  bool operator==(const MuonState&) const = default;

  void Visit(StateArchive& archive);
};

template <class T>
class Muon : public GradientMethod<T> {
 public:
  explicit Muon(const MuonOptions& options = {},
                const ChainOptions& chain = {});

  [[nodiscard]] const MuonOptions& Options() const { return options_; }
  [[nodiscard]] const MuonState<T>& State() const { return state_; }

 private:
  double Transform(const GradientPoint<T>& point, std::span<T> update) override;
  void PrepareState(const nn::Mlp<T>& net) override;
  void VisitMethodState(StateArchive& archive) override {
    state_.Visit(archive);
  }

  // Each turns `part` of the update, which begins at `offset`, from the gradient
  // into the direction at learning rate one, sign left out.
  void Orthogonalise(const nn::DenseLayer& layer, std::span<T> part);
  void TakeAdamStep(Index offset, std::span<T> part);

  MuonOptions options_;
  MuonState<T> state_;
  linalg::NewtonSchulz<T> newton_schulz_;
};

}  // namespace sven::optim

template <>
struct sven::EnumNames<sven::optim::MuonMatrices> {
  static constexpr std::pair<std::string_view, optim::MuonMatrices> kTable[] = {
      {"hidden", optim::MuonMatrices::kHidden},
      {"all", optim::MuonMatrices::kAll},
  };
};

#endif  // SVEN_OPTIM_MUON_H_
