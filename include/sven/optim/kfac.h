// SPDX-License-Identifier: MIT
//
// K-FAC: natural gradient with the Fisher matrix of each layer taken for the
// Kronecker product of two small matrices (Martens and Grosse, 2015).
#ifndef SVEN_OPTIM_KFAC_H_
#define SVEN_OPTIM_KFAC_H_

#include <optional>
#include <vector>

#include "sven/base/fields.h"
#include "sven/optim/gradient_method.h"
#include "sven/optim/layer_factors.h"

namespace sven::optim {

// How damping enters the inverse of the Kronecker product S (x) A.
enum class KfacForm {
  // (S (x) A + damping I)^-1, in the eigenbases of S and A.
  kEigen,
  // (S + sqrt(damping) / pi I)^-1 (x) (A + pi sqrt(damping) I)^-1 with
  // pi^2 = (tr A / dim A) / (tr S / dim S).
  kFactored,
};

// Which output-gradients d the factor S is made of.
enum class KfacFisher {
  // Of the losses of the samples.
  kEmpirical,
  // Of what the model itself predicts, in expectation: S (x) A then stands for
  // the Fisher matrix 2 J^T J for squared errors, J^T (diag(p) - p p^T) J for
  // cross-entropy; for Huber's loss the Gauss-Newton matrix. One backward row
  // per output.
  kExact,
};

// For a layer with inputs a (a one appended for the bias) and output-gradients
// d, and with the gradient G of the mean loss for [W b]:
//   A <- factor_decay A + (1 - factor_decay) mean(a a^T)     from the identity
//   S <- factor_decay S + (1 - factor_decay) mean(d d^T)     from the identity
//   V  = (S (x) A, damped)^-1 G
//   [W b] <- [W b] - lr nu V,  nu = min(1, sqrt(kl_clip / |sum lr^2 <V, G>|))
// with the sum over all layers.
struct KfacOptions {
  static constexpr ChainFit kChainFit = {.clip = true};

  double learning_rate = 0.1;
  double damping = 1e-3;
  KfacForm form = KfacForm::kEigen;
  KfacFisher fisher = KfacFisher::kExact;
  double factor_decay = 0.95;
  // The change of the model's predictions that a step may make, as the
  // quadratic form of the factors measures it; none for no limit.
  std::optional<double> kl_clip = 1e-3;
  // Steps from one eigen-decomposition of the factors to the next.
  Index every = 10;
  double weight_decay = 0;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"lr", "learning rate", {.low = 0, .low_open = true}},
          self.learning_rate);
    visit(
        Field{
            "damping", "added to the curvature", {.low = 0, .low_open = true}},
        self.damping);
    visit(Field{"form", "damping of the product of the factors or of each"},
          self.form);
    visit(Field{"fisher", "output-gradients of the losses or of predictions"},
          self.fisher);
    visit(Field{"factor_decay",
                "share of the factors kept from step to step",
                {.low = 0, .high = 1, .high_open = true}},
          self.factor_decay);
    visit(Field{"kl_clip",
                "limit on the step in the norm of the factors",
                {.low = 0, .low_open = true}},
          self.kl_clip);
    visit(Field{"every",
                "steps from one eigen-decomposition to the next",
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

struct KfacState {
  std::int64_t steps = 0;
  std::vector<LayerFactors> layers;  // left: S, right: A
  bool operator==(const KfacState&) const = default;

  void Visit(StateArchive& archive);
};

template <class T>
class Kfac : public GradientMethod<T> {
 public:
  explicit Kfac(const KfacOptions& options = {},
                const ChainOptions& chain = {});

  [[nodiscard]] const KfacOptions& Options() const { return options_; }
  [[nodiscard]] const KfacState& State() const { return state_; }

 private:
  // mean(d d^T) and mean(a a^T) of a layer.
  struct BatchFactors {
    MatrixBuffer<double> left;
    MatrixBuffer<double> right;
  };

  StepReport Propose(BatchProblem<T>& problem, const ScheduleFactors& factors,
                     std::span<T> update) override;
  double Transform(const GradientPoint<T>& point, std::span<T> update) override;
  void PrepareState(const nn::Mlp<T>& net) override;
  void VisitMethodState(StateArchive& archive) override {
    state_.Visit(archive);
  }

  // The factors of this batch; d d^T counts `scale` times.
  void Measure(const nn::Mlp<T>& net, const nn::Propagation<T>& layers,
               double scale);
  void MeasureInputs(const nn::DenseLayer& layer, const ConstMatrixView<T>& A,
                     MatrixBuffer<double>& result);
  // Takes them into the running factors.
  void Absorb(const nn::DenseLayer& layer, const BatchFactors& batch,
              LayerFactors& factors) const;
  // X, in the eigenbases, divided by the damped curvature.
  void Divide(const nn::DenseLayer& layer, const LayerFactors& factors,
              MatrixView<double> X) const;

  KfacOptions options_;
  KfacState state_;
  std::vector<BatchFactors> batch_;
  LayerBasis basis_;
  MatrixBuffer<double> rows_;  // (a, 1) or d in double
  MatrixBuffer<double> gradient_;
  MatrixBuffer<double> direction_;
};

}  // namespace sven::optim

template <>
struct sven::EnumNames<sven::optim::KfacForm> {
  static constexpr std::pair<std::string_view, optim::KfacForm> kTable[] = {
      {"eigen", optim::KfacForm::kEigen},
      {"factored", optim::KfacForm::kFactored},
  };
};

template <>
struct sven::EnumNames<sven::optim::KfacFisher> {
  static constexpr std::pair<std::string_view, optim::KfacFisher> kTable[] = {
      {"empirical", optim::KfacFisher::kEmpirical},
      {"exact", optim::KfacFisher::kExact},
  };
};

#endif  // SVEN_OPTIM_KFAC_H_
