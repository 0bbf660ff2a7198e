// SPDX-License-Identifier: MIT
#include "sven/optim/muon.h"

#include <algorithm>
#include <cmath>

#include "adam_direction.h"

namespace sven::optim {
namespace {

// x <- - rate (x + weight_decay p)
template <class T>
void Finish(double rate, double weight_decay, std::span<const T> p,
            std::span<T> x) {
  const auto scale = static_cast<T>(-rate);
  const auto decay = static_cast<T>(-rate * weight_decay);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = scale * x[i] + decay * p[i];
  }
}

template <class V>
V Part(V flat, Index offset, Index count) {
  return flat.subspan(static_cast<std::size_t>(offset),
                      static_cast<std::size_t>(count));
}

}  // namespace

void MuonOptions::Validate() const { ValidateFields("MuonOptions", *this); }

template <class T>
void MuonState<T>::Visit(StateArchive& archive) {
  Count(archive, "steps", steps);
  archive.Array("mean", mean);
  archive.Array("mean_square", mean_square);
}

template <class T>
Muon<T>::Muon(const MuonOptions& options, const ChainOptions& chain)
    : GradientMethod<T>(chain), options_(options) {
  options_.Validate();
  ValidateChain<MuonOptions>(chain);
}

template <class T>
void Muon<T>::PrepareState(const nn::Mlp<T>& net) {
  const auto N = static_cast<std::size_t>(net.NumParameters());
  state_.mean.assign(N, T{0});
  state_.mean_square.assign(N, T{0});
}

template <class T>
void Muon<T>::Orthogonalise(const nn::DenseLayer& layer, std::span<T> part) {
  const auto kept = static_cast<T>(options_.momentum);
  const auto taken = static_cast<T>(1 - options_.momentum);
  T* m = state_.mean.data() + layer.weight_offset;
  for (std::size_t i = 0; i < part.size(); ++i) {
    m[i] = kept * m[i] + taken * part[i];
    part[i] = kept * m[i] + taken * part[i];
  }
  MatrixView<T> X(part.data(), layer.out, layer.in);
  newton_schulz_.Orthogonalise(options_.iterations, X);
  const double shape =
      static_cast<double>(layer.out) / static_cast<double>(layer.in);
  X *= static_cast<T>(std::sqrt(std::max(1.0, shape)));
}

template <class T>
void Muon<T>::TakeAdamStep(Index offset, std::span<T> part) {
  const Index count = std::ssize(part);
  AdamDirection<T>(
      {.beta1 = options_.beta1, .beta2 = options_.beta2, .eps = options_.eps},
      state_.steps, Part(std::span(state_.mean), offset, count),
      Part(std::span(state_.mean_square), offset, count), part);
}

template <class T>
double Muon<T>::Transform(const GradientPoint<T>& point, std::span<T> update) {
  const double rate = options_.learning_rate * point.rate_factor;
  const double adam_rate = options_.adam_learning_rate * point.rate_factor;
  ++state_.steps;
  const Index last = point.net.NumLayers() - 1;
  for (Index l = 0; l <= last; ++l) {
    const nn::DenseLayer& layer = point.net.Layers()[l];
    const bool hidden = l > 0 && l < last;
    const bool muon = hidden || options_.matrices == MuonMatrices::kAll;
    const auto finish = [&](double of, Index offset, std::span<T> part) {
      Finish<T>(of, options_.weight_decay,
                Part(point.parameters, offset, std::ssize(part)), part);
    };
    if (layer.WeightFree()) {
      const auto part = Part(update, layer.weight_offset, layer.WeightSize());
      if (muon) {
        Orthogonalise(layer, part);
      } else {
        TakeAdamStep(layer.weight_offset, part);
      }
      finish(muon ? rate : adam_rate, layer.weight_offset, part);
    }
    if (layer.BiasFree()) {
      const auto part = Part(update, layer.bias_offset, layer.BiasSize());
      TakeAdamStep(layer.bias_offset, part);
      finish(adam_rate, layer.bias_offset, part);
    }
  }
  return rate;
}

template struct MuonState<float>;
template struct MuonState<double>;
template class Muon<float>;
template class Muon<double>;

}  // namespace sven::optim
