// SPDX-License-Identifier: MIT
//
// SOAP: Adam in the eigenbasis of Shampoo's factors (Vyas et al., 2024).
#ifndef SVEN_OPTIM_SOAP_H_
#define SVEN_OPTIM_SOAP_H_

#include <vector>

#include "sven/base/fields.h"
#include "sven/optim/gradient_method.h"
#include "sven/optim/layer_factors.h"

namespace sven::optim {

// With the gradient G of a weight matrix, and bases E and F (by rows) of
//   L <- beta2 L + (1 - beta2) G G^T,  R <- beta2 R + (1 - beta2) G^T G:
//
//   G' = E G F^T
//   m  = beta1 m + (1 - beta1) G',  v = beta2 v + (1 - beta2) G'^2
//   N' = (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps)
//   W <- W - lr (E^T N' F + weight_decay W)
//
// then L and R take in G. Every `every` steps the bases follow: with the rows of
// E sorted by q L q^T, the largest first, and v alike, E becomes the QR
// orthonormalisation of E L; likewise F; and m goes over to the new bases.
//
// The first step only sets L, R and their eigenbases: nothing moves, and t
// counts from the second. Biases have E = F = 1, which is AdamW.
struct SoapOptions {
  static constexpr ChainFit kChainFit = {.clip = true,
                                         .decoupled_decay = false};

  double learning_rate = 3e-3;
  double beta1 = 0.95;
  double beta2 = 0.95;
  double eps = 1e-8;
  double weight_decay = 0.01;
  Index every = 10;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"lr", "learning rate", {.low = 0, .low_open = true}},
          self.learning_rate);
    visit(Field{"beta1",
                "share of the mean kept",
                {.low = 0, .high = 1, .high_open = true}},
          self.beta1);
    visit(Field{"beta2",
                "share of the mean square and of the factors kept",
                {.low = 0, .high = 1, .high_open = true}},
          self.beta2);
    visit(Field{"eps",
                "added to the root of the mean square",
                {.low = 0, .low_open = true}},
          self.eps);
    visit(Field{"weight_decay", "decoupled weight decay, times lr", {.low = 0}},
          self.weight_decay);
    visit(Field{"every",
                "steps from one change of the bases to the next",
                {.low = 1}},
          self.every);
  }

  // Throws a UsageError naming the first field that is wrong.
  void Validate() const;
};

struct SoapState {
  std::int64_t steps = 0;
  // Of the weight matrices. `values` are the estimates q L q^T that the basis
  // was last sorted by.
  std::vector<LayerFactors> layers;
  // m and v in the order of the parameters, those of a weight matrix in its
  // bases.
  AlignedVector<double> mean;
  AlignedVector<double> mean_square;
  bool operator==(const SoapState&) const = default;

  void Visit(StateArchive& archive);
};

template <class T>
class Soap : public GradientMethod<T> {
 public:
  explicit Soap(const SoapOptions& options = {},
                const ChainOptions& chain = {});

  [[nodiscard]] const SoapOptions& Options() const { return options_; }
  [[nodiscard]] const SoapState& State() const { return state_; }

 private:
  // What a step does to one tensor at `offset`.
  struct Tensor {
    Index offset;
    Index rows;
    Index cols;
  };

  double Transform(const GradientPoint<T>& point, std::span<T> update) override;
  void PrepareState(const nn::Mlp<T>& net) override;
  void VisitMethodState(StateArchive& archive) override {
    state_.Visit(archive);
  }

  void LoadGradient(const Tensor& tensor, std::span<const T> flat);
  // The update of a tensor; without factors it is AdamW's.
  void Move(const GradientPoint<T>& point, const Tensor& tensor, double rate,
            const LayerFactors* factors, std::span<T> update);
  // L, R <- with gradient_ = G.
  void Accumulate(LayerFactors& factors);
  void ChangeBases(const Tensor& tensor, LayerFactors& factors);
  // Fills `order` with where each of the new basis vectors comes from.
  void ChangeBasis(EigenFactor& factor, std::vector<Index>& order);
  [[nodiscard]] MatrixView<double> View(const Tensor& tensor,
                                        AlignedVector<double>& flat) const {
    return {flat.data() + tensor.offset, tensor.rows, tensor.cols};
  }

  SoapOptions options_;
  SoapState state_;
  LayerBasis basis_;
  MatrixBuffer<double> gradient_;
  MatrixBuffer<double> direction_;
  MatrixBuffer<double> product_;
  MatrixBuffer<double> sorted_;
  std::vector<Index> left_order_;
  std::vector<Index> right_order_;
};

}  // namespace sven::optim

#endif  // SVEN_OPTIM_SOAP_H_
