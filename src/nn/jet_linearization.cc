// SPDX-License-Identifier: MIT
//
// Letters: B conditions, T components of a jet, d inputs of the network, m
// further parameters; A and D inputs and output-gradients of a layer.
#include "sven/nn/jet_linearization.h"

#include <algorithm>
#include <utility>

#include "sven/base/error.h"
#include "sven/linalg/product.h"

namespace sven::nn {
namespace {

// Columns of M that are formed at a time, and rows of a block of pairs: what
// they take stays in the second-level cache.
constexpr Index kColumns = 384;
constexpr Index kBlockRows = 192;

// How much dearer a multiplication is on the road of pairs, whose products are
// smaller and are gone through once more.
constexpr double kPairPrice = 2;

}  // namespace

template <class T>
void JetLinearization<T>::Bind(const Mlp<T>& net,
                               std::span<const JetPart<T>> parts, Index further,
                               std::span<const double> residuals) {
  Index conditions = 0;
  for (const JetPart<T>& part : parts) {
    conditions += part.jets->BatchSize();
    Check(further == 0 || part.further != nullptr,
          "further parameters need derivatives");
  }
  Check(conditions == std::ssize(residuals), "one residual per condition");
  net_ = &net;
  parts_.assign(parts.begin(), parts.end());
  further_ = further;
  residuals_ = residuals;
}

template <class T>
void JetLinearization<T>::WeightRow(const JetPart<T>& part, Index layer,
                                    Index a, Index first, Index count,
                                    double* out) const {
  const JetPropagation<T>& jets = *part.jets;
  const JetShape& shape = jets.Shape();
  const Index in = net_->Layers()[layer].in;
  const Index components = shape.Components();
  const auto D = jets.Gradients(layer).middleRows(a * components, components);
  MatrixView<double> rows(out, count, in);
  if (layer == 0) {
    // a_0 = x, a_i the i-th unit vector, and zero for second derivatives.
    const auto x = jets.Points().row(a).template cast<double>();
    for (Index o = 0; o < count; ++o) {
      rows.row(o) = static_cast<double>(D(0, first + o)) * x;
      if (!shape.HasGradient()) continue;
      rows.row(o) +=
          D.col(first + o).segment(1, in).transpose().template cast<double>();
    }
    return;
  }
  const auto A = jets.Inputs(layer).middleRows(a * components, components);
  for (Index o = 0; o < count; ++o) {
    rows.row(o) =
        static_cast<double>(D(0, first + o)) * A.row(0).template cast<double>();
    for (Index t = 1; t < components; ++t) {
      rows.row(o) += static_cast<double>(D(t, first + o)) *
                     A.row(t).template cast<double>();
    }
  }
}

// Whether B^2 T^2 (in + out) work is less than B^2 in out.
template <class T>
bool JetLinearization<T>::TakesPairs(Index layer) const {
  if (layer == 0 || road_ == JetRoad::kColumns) return false;
  const DenseLayer& spec = net_->Layers()[layer];
  if (!spec.WeightFree()) return false;
  if (road_ == JetRoad::kPairs) return true;
  double rows = 0;
  for (const JetPart<T>& part : parts_) {
    rows += static_cast<double>(part.jets->BatchSize() *
                                part.jets->Shape().Components());
  }
  const double share = rows / static_cast<double>(NumConditions());
  return kPairPrice * share * share * static_cast<double>(spec.in + spec.out) <
         static_cast<double>(spec.in * spec.out);
}

template <class T>
void JetLinearization<T>::Gram(linalg::Accumulation /*always in double*/,
                               MatrixRef<double> K) {
  K.setZero();
  for (Index layer = 0; layer < net_->NumLayers(); ++layer) {
    if (TakesPairs(layer)) {
      GramOfPairs(layer, K);
    } else {
      GramOfColumns(layer, K);
    }
  }
  if (further_ > 0) GramOfFurther(K);
}

template <class T>
void JetLinearization<T>::GramOfColumns(Index layer,
                                        const MatrixRef<double>& K) {
  const DenseLayer& spec = net_->Layers()[layer];
  const Index weights = spec.WeightFree() ? spec.in : 0;
  const Index biases = spec.BiasFree() ? 1 : 0;
  const Index width = weights + biases;  // columns of a neuron
  if (width == 0) return;
  const Index most = std::clamp<Index>(kColumns / width, 1, spec.out);
  for (Index first = 0; first < spec.out; first += most) {
    const Index count = std::min(most, spec.out - first);
    columns_.Resize(NumConditions(), count * width);
    MatrixView<double> columns = columns_.View();
    Index row = 0;
    for (const JetPart<T>& part : parts_) {
      const Index components = part.jets->Shape().Components();
      const ConstMatrixView<T> D = part.jets->Gradients(layer);
      for (Index a = 0; a < part.jets->BatchSize(); ++a, ++row) {
        double* out = columns.row(row).data();
        if (weights > 0) WeightRow(part, layer, a, first, count, out);
        for (Index o = 0; o < biases * count; ++o) {
          out[count * weights + o] = D(a * components, first + o);
        }
      }
    }
    linalg::AddGram(std::as_const(columns_).View(), K);
  }
}

template <class T>
template <class Visit>
void JetLinearization<T>::ForBlocks(Visit&& visit) const {
  Index place = 0;
  for (const JetPart<T>& part : parts_) {
    const Index points =
        std::max<Index>(1, kBlockRows / part.jets->Shape().Components());
    const Index batch = part.jets->BatchSize();
    for (Index a = 0; a < batch; a += points) {
      visit(part, a, std::min(points, batch - a), place + a);
    }
    place += batch;
  }
}

template <class T>
void JetLinearization<T>::Load(const JetPart<T>& part, Index layer, Index a,
                               Index count, Index place, Block& block) const {
  const Index components = part.jets->Shape().Components();
  const DenseLayer& spec = net_->Layers()[layer];
  const Index rows = count * components;
  block.first = place;
  block.points = count;
  block.components = components;
  block.A.Resize(rows, spec.in);
  block.D.Resize(rows, spec.out);
  block.A.View() = part.jets->Inputs(layer)
                       .middleRows(a * components, rows)
                       .template cast<double>();
  block.D.View() = part.jets->Gradients(layer)
                       .middleRows(a * components, rows)
                       .template cast<double>();
}

template <class T>
void JetLinearization<T>::GramOfPairs(Index layer, MatrixRef<double> K) {
  ForBlocks([&](const JetPart<T>& part, Index a, Index count, Index place) {
    Load(part, layer, a, count, place, left_);
    ForBlocks(
        [&](const JetPart<T>& part2, Index b, Index count2, Index place2) {
          if (place2 > place) return;
          Load(part2, layer, b, count2, place2, right_);
          AddBlock(layer, place2 == place, K);
        });
  });
}

// K_ab += sum_ts (a_at . a_bs)(d_at . d_bs), and the bias, for two blocks.
template <class T>
void JetLinearization<T>::AddBlock(Index layer, bool diagonal,
                                   MatrixRef<double> K) {
  const auto product = [&](const MatrixBuffer<double>& X,
                           const MatrixBuffer<double>& Y,
                           MatrixBuffer<double>& out) {
    out.Resize(X.View().rows(), Y.View().rows());
    linalg::MultiplyABt<double>(X.View(), Y.View(), out.View());
  };
  product(left_.A, right_.A, inputs_product_);
  product(left_.D, right_.D, gradients_product_);
  const MatrixView<double> AA = inputs_product_.View();
  const MatrixView<double> DD = gradients_product_.View();
  const bool bias = net_->Layers()[layer].BiasFree();
  const Index T1 = left_.components;
  const Index T2 = right_.components;
  for (Index p = 0; p < left_.points; ++p) {
    const Index end = diagonal ? p + 1 : right_.points;
    double* out = K.row(left_.first + p).data() + right_.first;
    for (Index q = 0; q < end; ++q) {
      double sum = bias ? DD(p * T1, q * T2) : 0.0;
      for (Index t = 0; t < T1; ++t) {
        const double* aa = AA.row(p * T1 + t).data() + q * T2;
        const double* dd = DD.row(p * T1 + t).data() + q * T2;
        for (Index s = 0; s < T2; ++s) sum += aa[s] * dd[s];
      }
      out[q] += sum;
    }
  }
}

template <class T>
void JetLinearization<T>::GramOfFurther(const MatrixRef<double>& K) {
  columns_.Resize(NumConditions(), further_);
  Index place = 0;
  for (const JetPart<T>& part : parts_) {
    const Index batch = part.jets->BatchSize();
    columns_.View().middleRows(place, batch) =
        ConstMatrixView<T>(part.further, batch, further_)
            .template cast<double>();
    place += batch;
  }
  linalg::AddGram(std::as_const(columns_).View(), K);
}

template <class T>
void JetLinearization<T>::PullBackLayer(const JetPart<T>& part, Index layer,
                                        std::span<const double> w,
                                        std::span<T> out) {
  const DenseLayer& spec = net_->Layers()[layer];
  const JetPropagation<T>& jets = *part.jets;
  const Index components = jets.Shape().Components();
  const Index batch = jets.BatchSize();
  const ConstMatrixView<T> D = jets.Gradients(layer);
  scaled_.Resize(D.rows(), spec.out);
  MatrixView<T> scaled = scaled_.View();
  for (Index a = 0; a < batch; ++a) {
    // The weight may be out of T's range where its product is not.
    scaled.middleRows(a * components, components) =
        (w[a] *
         D.middleRows(a * components, components).template cast<double>())
            .template cast<T>();
  }
  VectorView<T> bias(out.data() + spec.bias_offset, spec.BiasSize());
  for (Index a = 0; a < batch && spec.BiasFree(); ++a) {
    bias += scaled.row(a * components).transpose();
  }
  if (!spec.WeightFree()) return;
  MatrixView<T> weight(out.data() + spec.weight_offset, spec.out, spec.in);
  product_.Resize(spec.out, spec.in);
  if (layer > 0) {
    linalg::MultiplyAtB<T>(std::as_const(scaled_).View(), jets.Inputs(layer),
                           product_.View());
    weight += product_.View();
    return;
  }
  values_.Resize(batch, spec.out);
  for (Index a = 0; a < batch; ++a) {
    values_.View().row(a) = scaled.row(a * components);
    for (Index i = 0; i < spec.in && jets.Shape().HasGradient(); ++i) {
      weight.col(i) += scaled.row(a * components + 1 + i).transpose();
    }
  }
  linalg::MultiplyAtB<T>(std::as_const(values_).View(), jets.Points(),
                         product_.View());
  weight += product_.View();
}

template <class T>
void JetLinearization<T>::PullBack(std::span<const double> w,
                                   std::span<T> out) {
  Check(std::ssize(w) == NumConditions() && std::ssize(out) == NumParameters(),
        "w has one entry per condition, out one per parameter");
  std::ranges::fill(out, T{0});
  for (const JetPart<T>& part : parts_) {
    const Index batch = part.jets->BatchSize();
    for (Index layer = 0; layer < net_->NumLayers(); ++layer) {
      PullBackLayer(part, layer, w, out);
    }
    for (Index a = 0; a < batch; ++a) {
      for (Index j = 0; j < further_; ++j) {
        out[net_->NumParameters() + j] +=
            static_cast<T>(w[a] * part.further[a * further_ + j]);
      }
    }
    w = w.subspan(batch);
  }
}

template <class T>
void JetLinearization<T>::PushLayer(const JetPart<T>& part, Index layer,
                                    std::span<const T> v,
                                    std::span<double> out) {
  const DenseLayer& spec = net_->Layers()[layer];
  const JetPropagation<T>& jets = *part.jets;
  const Index components = jets.Shape().Components();
  const ConstMatrixView<T> D = jets.Gradients(layer);
  const ConstMatrixView<T> V(v.data() + spec.weight_offset, spec.out, spec.in);
  const ConstVectorView<T> bias(v.data() + spec.bias_offset, spec.BiasSize());
  const ConstMatrixView<T> A = layer > 0 ? jets.Inputs(layer) : jets.Points();
  if (spec.WeightFree()) {
    product_.Resize(A.rows(), spec.out);
    linalg::MultiplyABt<T>(A, V, product_.View());
  }
  const MatrixView<T> AV = product_.View();
  const auto dot = [](const auto& x, const auto& y) {
    return x.template cast<double>()
        .cwiseProduct(y.template cast<double>())
        .sum();
  };
  for (Index a = 0; a < jets.BatchSize(); ++a) {
    const Index row = a * components;
    if (spec.BiasFree()) out[a] += dot(D.row(row), bias.transpose());
    if (!spec.WeightFree()) continue;
    if (layer > 0) {
      out[a] +=
          dot(D.middleRows(row, components), AV.middleRows(row, components));
      continue;
    }
    out[a] += dot(D.row(row), AV.row(a));
    if (!jets.Shape().HasGradient()) continue;
    out[a] += dot(D.middleRows(row + 1, spec.in), V.transpose());
  }
}

template <class T>
void JetLinearization<T>::PushForward(std::span<const T> v,
                                      std::span<double> out) {
  Check(std::ssize(v) == NumParameters() && std::ssize(out) == NumConditions(),
        "v has one entry per parameter, out one per condition");
  std::ranges::fill(out, 0.0);
  for (const JetPart<T>& part : parts_) {
    const Index batch = part.jets->BatchSize();
    for (Index layer = 0; layer < net_->NumLayers(); ++layer) {
      PushLayer(part, layer, v, out);
    }
    for (Index a = 0; a < batch; ++a) {
      for (Index j = 0; j < further_; ++j) {
        out[a] += static_cast<double>(part.further[a * further_ + j]) *
                  v[net_->NumParameters() + j];
      }
    }
    out = out.subspan(batch);
  }
}

template <class T>
void JetLinearization<T>::Jacobian(MatrixRef<double> M) {
  M.setZero();
  Index row = 0;
  for (const JetPart<T>& part : parts_) {
    const Index components = part.jets->Shape().Components();
    for (Index a = 0; a < part.jets->BatchSize(); ++a, ++row) {
      double* out = M.row(row).data();
      for (Index layer = 0; layer < net_->NumLayers(); ++layer) {
        const DenseLayer& spec = net_->Layers()[layer];
        if (spec.WeightFree()) {
          WeightRow(part, layer, a, 0, spec.out, out + spec.weight_offset);
        }
        if (!spec.BiasFree()) continue;
        VectorView<double>(out + spec.bias_offset, spec.out) =
            part.jets->Gradients(layer)
                .row(a * components)
                .transpose()
                .template cast<double>();
      }
      for (Index j = 0; j < further_; ++j) {
        out[net_->NumParameters() + j] = part.further[a * further_ + j];
      }
    }
  }
}

template class JetLinearization<float>;
template class JetLinearization<double>;

}  // namespace sven::nn
