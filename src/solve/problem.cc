// SPDX-License-Identifier: MIT
//
// Letters: N parameters, B conditions drawn for this step, n those of a group.
#include "sven/solve/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sven/base/error.h"
#include "sven/solve/check_jacobian.h"

namespace sven::solve {

template <class T>
Problem<T>::Problem(Index parameters, const StorageOptions& storage)
    : N_(parameters), storage_(storage) {
  if (parameters < 1) {
    throw UsageError(fmt::format(
        "Problem::parameters = {}: must satisfy parameters >= 1", parameters));
  }
}

template <class T>
void Problem<T>::Add(std::string_view name,
                     std::unique_ptr<Conditions<T>> conditions,
                     const GroupOptions& options) {
  GroupRows rows(name, conditions->Count(), options.weight, options.batch);
  CheckNameIsFree(groups_, name);
  groups_.push_back({std::move(rows), std::move(conditions), options});
}

template <class T>
Index Problem<T>::NumConditions() const {
  return kind_ == Storage::kCompressed ? N_ : Drawn();
}

template <class T>
double Problem<T>::Loss() const {
  return cost_ / static_cast<double>(Drawn());
}

template <class T>
bool Problem<T>::Sampled() const {
  return AnySampled(groups_);
}

template <class T>
void Problem<T>::Draw(RandomStream& random) {
  DrawRows(random, groups_);
}

template <class T>
double Problem<T>::Evaluate(Group& group, const Place<T>& at, double scale,
                            std::span<double> out) {
  Check(std::ssize(at.theta) == N_, "theta must have one entry per parameter");
  values_.resize(at.rows.size());
  InGroup(group.name, [&] { group.conditions->Residuals(at, values_); });
  double sum = 0;
  for (std::size_t a = 0; a < out.size(); ++a) {
    out[a] = scale * values_[a];
    sum += out[a] * out[a];
    if (!std::isfinite(out[a]) && fault_.empty()) {
      fault_ = fmt::format("group '{}', condition {}: the residual is {}",
                           group.name, at.rows[a], values_[a]);
    }
  }
  if (!std::isfinite(sum) && fault_.empty()) {
    fault_ = fmt::format(
        "group '{}': the squares of the residuals are too large to be summed",
        group.name);
  }
  return sum;
}

template <class T>
double Problem<T>::Cost(std::span<const T> theta) {
  fault_.clear();
  double sum = 0;
  for (Group& group : groups_) {
    scratch_.resize(group.rows.size());
    sum += Evaluate(group, {theta, group.rows}, group.scale, scratch_);
  }
  return sum;
}

template <class T>
double Problem<T>::FullCost(std::span<const T> theta) {
  fault_.clear();
  double sum = 0;
  for (Group& group : groups_) {
    scratch_.resize(group.all.size());
    sum += Evaluate(group, {theta, group.all}, std::sqrt(group.options.weight),
                    scratch_);
  }
  return sum;
}

template <class T>
Vector<double> Problem<T>::GroupResiduals(std::string_view name,
                                          std::span<const T> theta) {
  for (Group& group : groups_) {
    if (group.name != name) continue;
    Vector<double> r(std::ssize(group.all));
    Evaluate(group, {theta, group.all}, 1.0, {r.data(), group.all.size()});
    return r;
  }
  throw UsageError(fmt::format("there is no group '{}'", name));
}

template <class T>
typename Problem<T>::Storage Problem<T>::ChooseStorage() const {
  if (Drawn() <= storage_.stored_entries / N_) return Storage::kStored;
  return Drawn() > N_ ? Storage::kCompressed : Storage::kAskedAgain;
}

template <class T>
template <class Visit>
void Problem<T>::ForBlocks(Index limit, Visit&& visit) {
  Index first = 0;
  for (Group& group : groups_) {
    const std::span<const Index> rows = group.rows;
    for (Index done = 0; done < std::ssize(rows); done += limit) {
      const Index size = std::min(limit, std::ssize(rows) - done);
      visit(group, rows.subspan(done, size), first + done);
    }
    first += std::ssize(rows);
  }
}

template <class T>
void Problem<T>::RowsOf(Group& group, std::span<const Index> rows,
                        MatrixView<T> M) {
  InGroup(group.name, [&] { group.conditions->Jacobian({theta_, rows}, M); });
  if (group.scale != 1) M *= static_cast<T>(group.scale);
}

template <class T>
void Problem<T>::MoveTo(std::span<const T> theta) {
  Check(std::ssize(theta) == N_, "theta must have one entry per parameter");
  Check(!groups_.empty(), "a problem needs a group of conditions");
  theta_.assign(theta.begin(), theta.end());
  fault_.clear();
  kind_ = ChooseStorage();
  residuals_.resize(static_cast<std::size_t>(Drawn()));
  cost_ = 0;
  std::span<double> rest = residuals_;
  for (Group& group : groups_) {
    const auto part = rest.first(group.rows.size());
    cost_ += Evaluate(group, {theta_, group.rows}, group.scale, part);
    rest = rest.subspan(part.size());
  }
  if (kind_ == Storage::kCompressed) Compress();
  if (kind_ != Storage::kStored) return;
  M_.Resize(Drawn(), N_);
  ForBlocks(Drawn(), [&](Group& group, auto rows, Index first) {
    RowsOf(group, rows, {M_.View().row(first).data(), std::ssize(rows), N_});
  });
}

// [M R] = Q [T q]: the triangle has N + 1 rows, the last of which only holds the
// part of R that no step changes.
template <class T>
void Problem<T>::Compress() {
  const Index columns = N_ + 1;
  const Index limit = std::clamp<Index>(storage_.stored_entries / columns, 1,
                                        std::max<Index>(256, columns));
  compression_.Start(columns, limit);
  ForBlocks(limit, [&](Group& group, auto rows, Index first) {
    const Index size = std::ssize(rows);
    block_.Resize(size, N_);
    RowsOf(group, rows, block_.View());
    MatrixView<double> room = compression_.Room(size);
    room.leftCols(N_) = block_.View().template cast<double>();
    room.col(N_) = ConstVectorView<double>(residuals_.data() + first, size);
    compression_.Add(size);
  });
  const ConstMatrixView<double> triangle = compression_.Triangle();
  M_.Resize(N_, N_);
  M_.View() = triangle.topLeftCorner(N_, N_).template cast<T>();
  residuals_.resize(static_cast<std::size_t>(N_));
  VectorView<double>(residuals_.data(), N_) = triangle.col(N_).head(N_);
}

template <class T>
void Problem<T>::Gram(linalg::Accumulation accumulation, MatrixRef<double> K) {
  if (kind_ == Storage::kAskedAgain) {
    GramOfBlocks(accumulation, K);
    return;
  }
  K.setZero();
  gram_.AddPlain(std::as_const(M_).View(), accumulation, K);
}

// Every pair of blocks once; the rows of the second are computed anew for each
// first one.
template <class T>
void Problem<T>::GramOfBlocks(linalg::Accumulation accumulation,
                              MatrixRef<double> K) {
  const Index limit =
      std::clamp<Index>(storage_.stored_entries / (2 * N_), 1, Drawn());
  ForBlocks(limit, [&](Group& group, auto rows, Index first) {
    const Index size = std::ssize(rows);
    block_.Resize(size, N_);
    RowsOf(group, rows, block_.View());
    Matrix<double> square = Matrix<double>::Zero(size, size);
    gram_.AddPlain(std::as_const(block_).View(), accumulation, square);
    K.block(first, first, size, size) = square;
    ForBlocks(limit, [&](Group& group2, auto rows2, Index first2) {
      if (first2 >= first) return;
      other_.Resize(std::ssize(rows2), N_);
      RowsOf(group2, rows2, other_.View());
      K.block(first, first2, size, std::ssize(rows2)).noalias() =
          block_.View().template cast<double>() *
          other_.View().template cast<double>().transpose();
    });
  });
}

template <class T>
void Problem<T>::PullBack(std::span<const double> w, std::span<T> out) {
  VectorView<T> result(out.data(), N_);
  result.setZero();
  if (kind_ != Storage::kAskedAgain) {
    const MatrixView<T> M = M_.View();
    for (Index a = 0; a < M.rows(); ++a) {
      // The weight may be out of T's range where its product is not.
      result += (w[a] * M.row(a).template cast<double>())
                    .transpose()
                    .template cast<T>();
    }
    return;
  }
  ForBlocks(Drawn(), [&](Group& group, auto rows, Index first) {
    values_.resize(rows.size());
    for (std::size_t a = 0; a < rows.size(); ++a) {
      values_[a] = static_cast<T>(group.scale * w[first + a]);
    }
    InGroup(group.name, [&] {
      group.conditions->AddPullBack({theta_, rows}, values_, out);
    });
  });
}

template <class T>
void Problem<T>::PushForward(std::span<const T> v, std::span<double> out) {
  if (kind_ != Storage::kAskedAgain) {
    const MatrixView<T> M = M_.View();
    const ConstVectorView<T> vector(v.data(), N_);
    for (Index a = 0; a < M.rows(); ++a) {
      out[a] =
          M.row(a).template cast<double>().dot(vector.template cast<double>());
    }
    return;
  }
  ForBlocks(Drawn(), [&](Group& group, auto rows, Index first) {
    values_.resize(rows.size());
    InGroup(group.name, [&] {
      group.conditions->PushForward({theta_, rows}, v, values_);
    });
    for (std::size_t a = 0; a < rows.size(); ++a) {
      out[first + a] = group.scale * values_[a];
    }
  });
}

template <class T>
void Problem<T>::Jacobian(MatrixRef<double> M) {
  const Index rows_here =
      kind_ == Storage::kAskedAgain ? Drawn() : M_.View().rows();
  Check(M.rows() == rows_here && M.cols() == N_,
        "M must have a row per condition of the last MoveTo and a column per "
        "parameter");
  if (kind_ != Storage::kAskedAgain) {
    M = M_.View().template cast<double>();
    return;
  }
  const Index limit =
      std::clamp<Index>(storage_.stored_entries / N_, 1, Drawn());
  ForBlocks(limit, [&](Group& group, auto rows, Index first) {
    block_.Resize(std::ssize(rows), N_);
    RowsOf(group, rows, block_.View());
    M.middleRows(first, std::ssize(rows)) =
        block_.View().template cast<double>();
  });
}

template <class T>
std::string Problem<T>::Describe(Index a) const {
  return DescribeRow(groups_, a, "condition");
}

template <class T>
std::string Problem<T>::JacobianFault(std::span<const T> theta,
                                      const Bounds<T>& bounds) {
  const auto wrong =
      CheckJacobian<T>(*this, theta, {.only_hand_written = true}, bounds);
  return wrong.empty() ? std::string() : wrong.front().Describe();
}

template class Problem<float>;
template class Problem<double>;

}  // namespace sven::solve
