// SPDX-License-Identifier: MIT
//
// Letters: B conditions drawn for this step, n points of a group, T components
// of a jet.
#include "sven/pde/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "slopes_check.h"
#include "sven/base/error.h"
#include "sven/nn/jet_activation.h"

namespace sven::pde {
namespace {

// Numbers of a block of jets in Cost: they stay in the second-level cache.
constexpr Index kBlockNumbers = Index{1} << 14;

// Points at which Slopes are compared with differences.
constexpr Index kCheckedPoints = 100;

}  // namespace

template <class T>
Problem<T>::Problem(const nn::Mlp<T>& net, Index unknowns)
    : net_(net), trial_(net), unknowns_(unknowns) {
  if (unknowns < 0) {
    throw UsageError(fmt::format(
        "Problem::unknowns = {}: must satisfy unknowns >= 0", unknowns));
  }
  unknowns_here_.resize(static_cast<std::size_t>(unknowns));
  unknowns_trial_.resize(static_cast<std::size_t>(unknowns));
}

template <class T>
void Problem<T>::CheckPoints(std::string_view name,
                             const Matrix<T>& points) const {
  if (points.cols() != net_.NumInputs()) {
    throw UsageError(
        fmt::format("group '{}': points have {} coordinates, the network {} "
                    "inputs; must be equal",
                    name, points.cols(), net_.NumInputs()));
  }
  for (Index row = 0; row < points.rows(); ++row) {
    if (points.row(row).allFinite()) continue;
    throw UsageError(
        fmt::format("group '{}': point {} is not finite", name, row));
  }
}

template <class T>
void Problem<T>::Add(std::string_view name, Matrix<T> points,
                     std::unique_ptr<PointConditions<T>> conditions,
                     const GroupOptions& options) {
  solve::GroupRows rows(name, points.rows(), options.weight, options.batch);
  CheckPoints(name, points);
  solve::CheckNameIsFree(groups_, name);
  for (const nn::DenseLayer& layer : net_.Layers()) {
    if (options.derivatives <= nn::Derivatives::kGradient ||
        nn::IsSmooth(layer.activation)) {
      continue;
    }
    throw UsageError(fmt::format(
        "group '{}': derivatives = {}: the network's activation {} has no "
        "second derivative; use a smooth one, such as tanh",
        name, Name(options.derivatives), Name(layer.activation)));
  }
  Group& group = groups_.emplace_back();
  static_cast<solve::GroupRows&>(group) = std::move(rows);
  group.points = std::move(points);
  group.conditions = std::move(conditions);
  group.options = options;
}

template <class T>
AlignedVector<T> Problem<T>::Start(std::span<const T> unknowns) const {
  if (std::ssize(unknowns) != unknowns_) {
    throw UsageError(fmt::format("{} values for {} unknowns; must be one each",
                                 unknowns.size(), unknowns_));
  }
  AlignedVector<T> theta(net_.Parameters().begin(), net_.Parameters().end());
  theta.insert(theta.end(), unknowns.begin(), unknowns.end());
  return theta;
}

template <class T>
Index Problem<T>::NumConditions() const {
  return solve::CountRows(groups_);
}

template <class T>
bool Problem<T>::Sampled() const {
  return solve::AnySampled(groups_);
}

template <class T>
void Problem<T>::Draw(RandomStream& random) {
  solve::DrawRows(random, groups_);
}

template <class T>
void Problem<T>::Gather(const Group& group, std::span<const Index> rows,
                        MatrixBuffer<T>& to) {
  to.Resize(std::ssize(rows), group.points.cols());
  for (Index a = 0; a < std::ssize(rows); ++a) {
    to.View().row(a) = group.points.row(rows[a]);
  }
}

template <class T>
double Problem<T>::Square(const Group& group, Index row, double residual) {
  if (!std::isfinite(residual) && fault_.empty()) {
    fault_ = fmt::format("group '{}', point {}: the residual is {}", group.name,
                         row, residual);
  }
  const double square = residual * residual;
  if (!std::isfinite(square) && fault_.empty()) {
    fault_ = fmt::format("group '{}', point {}: the square of {} is too large",
                         group.name, row, residual);
  }
  return square;
}

template <class T>
double Problem<T>::Evaluate(Group& group, std::span<const Index> rows,
                            double scale, std::span<double> out) {
  const nn::JetShape shape{net_.NumInputs(), group.options.derivatives};
  const Index components = shape.Components();
  const Index outputs = net_.NumOutputs();
  Index widest = 1;
  for (const nn::DenseLayer& layer : net_.Layers()) {
    widest = std::max(widest, layer.out);
  }
  const Index limit =
      std::clamp<Index>(kBlockNumbers / (components * widest), 1, 1024);
  double sum = 0;
  for (Index done = 0; done < std::ssize(rows); done += limit) {
    const auto some =
        rows.subspan(done, std::min(limit, std::ssize(rows) - done));
    Gather(group, some, block_points_);
    block_jets_.Forward(trial_, std::as_const(block_points_).View(),
                        group.options.derivatives,
                        nn::JetPropagation<T>::Keep::kOutputs);
    const T* jets = block_jets_.Outputs().data();
    for (Index a = 0; a < std::ssize(some); ++a) {
      const T residual =
          group.conditions->Residual({.shape = shape,
                                      .outputs = outputs,
                                      .row = some[a],
                                      .x = block_points_.View().row(a).data(),
                                      .jet = jets + a * components * outputs,
                                      .unknowns = unknowns_trial_});
      out[done + a] = scale * residual;
      sum += Square(group, some[a], out[done + a]);
    }
  }
  return sum;
}

template <class T>
void Problem<T>::SetTrial(std::span<const T> theta) {
  Check(std::ssize(theta) == NumParameters(),
        "theta must have one entry per parameter");
  const Index N = net_.NumParameters();
  std::ranges::copy(theta.first(N), trial_.Parameters().begin());
  std::ranges::copy(theta.subspan(N), unknowns_trial_.begin());
  fault_.clear();
}

template <class T>
double Problem<T>::Cost(std::span<const T> theta) {
  SetTrial(theta);
  double sum = 0;
  for (Group& group : groups_) {
    scratch_.resize(group.rows.size());
    solve::InGroup(group.name, [&] {
      sum += Evaluate(group, group.rows, group.scale, scratch_);
    });
  }
  return sum;
}

template <class T>
double Problem<T>::FullCost(std::span<const T> theta) {
  SetTrial(theta);
  double sum = 0;
  for (Group& group : groups_) {
    scratch_.resize(group.all.size());
    solve::InGroup(group.name, [&] {
      sum +=
          Evaluate(group, group.all, std::sqrt(group.options.weight), scratch_);
    });
  }
  return sum;
}

template <class T>
Vector<double> Problem<T>::GroupResiduals(std::string_view name,
                                          std::span<const T> theta) {
  for (Group& group : groups_) {
    if (group.name != name) continue;
    SetTrial(theta);
    Vector<double> r(std::ssize(group.all));
    solve::InGroup(group.name, [&] {
      Evaluate(group, group.all, 1.0, {r.data(), group.all.size()});
    });
    return r;
  }
  throw UsageError(fmt::format("there is no group '{}'", name));
}

template <class T>
void Problem<T>::Linearise(Group& group, std::span<double> residuals) {
  Gather(group, group.rows, group.drawn);
  group.jets.Forward(net_, std::as_const(group.drawn).View(),
                     group.options.derivatives);
  const nn::JetShape& shape = group.jets.Shape();
  const Index outputs = net_.NumOutputs();
  const Index size = shape.Components() * outputs;  // of a jet
  const Index batch = std::ssize(group.rows);
  group.slopes.Resize(batch, unknowns_);
  const T* jets = group.jets.Outputs().data();
  T* slopes = group.jets.OutputGradient().data();
  T* in_unknowns = group.slopes.View().data();
  for (Index a = 0; a < batch; ++a) {
    const T residual = group.conditions->Linearise(
        {.shape = shape,
         .outputs = outputs,
         .row = group.rows[a],
         .x = group.drawn.View().row(a).data(),
         .jet = jets + a * size,
         .unknowns = unknowns_here_},
        {slopes + a * size, static_cast<std::size_t>(size)},
        {in_unknowns + a * unknowns_, static_cast<std::size_t>(unknowns_)});
    residuals[a] = group.scale * residual;
    cost_ += Square(group, group.rows[a], residuals[a]);
  }
  const auto scale = static_cast<T>(group.scale);
  group.jets.OutputGradient() *= scale;
  group.slopes.View() *= scale;
  group.jets.Backward(net_);
}

template <class T>
void Problem<T>::MoveTo(std::span<const T> theta) {
  Check(std::ssize(theta) == NumParameters(),
        "theta must have one entry per parameter");
  Check(!groups_.empty(), "a problem needs a group of conditions");
  const Index N = net_.NumParameters();
  std::ranges::copy(theta.first(N), net_.Parameters().begin());
  std::ranges::copy(theta.subspan(N), unknowns_here_.begin());
  fault_.clear();
  residuals_.resize(static_cast<std::size_t>(NumConditions()));
  cost_ = 0;
  parts_.clear();
  std::span<double> rest = residuals_;
  for (Group& group : groups_) {
    const auto own = rest.first(group.rows.size());
    solve::InGroup(group.name, [&] { Linearise(group, own); });
    parts_.push_back(
        {.jets = &group.jets, .further = group.slopes.View().data()});
    rest = rest.subspan(own.size());
  }
  linearization_.Bind(net_, parts_, unknowns_, residuals_);
}

template <class T>
std::string Problem<T>::SlopesFault(Group& group,
                                    const solve::Bounds<T>& bounds) {
  const auto of_unknowns = [&](std::span<const T> side) {
    return side.empty() ? side : side.subspan(net_.NumParameters());
  };
  const Index n = std::ssize(group.all);
  const Index size = std::min(n, kCheckedPoints);
  std::vector<Index> rows(static_cast<std::size_t>(size));
  for (Index a = 0; a < size; ++a) rows[a] = a * n / size;
  Gather(group, rows, block_points_);
  block_jets_.Forward(trial_, std::as_const(block_points_).View(),
                      group.options.derivatives,
                      nn::JetPropagation<T>::Keep::kOutputs);
  const nn::JetShape shape = block_jets_.Shape();
  const Index numbers = shape.Components() * net_.NumOutputs();
  for (Index a = 0; a < size; ++a) {
    const std::string fault = DescribeWrongSlope<T>(
        *group.conditions,
        {.shape = shape,
         .outputs = net_.NumOutputs(),
         .row = rows[a],
         .x = block_points_.View().row(a).data(),
         .jet = block_jets_.Outputs().data() + a * numbers,
         .unknowns = unknowns_trial_},
        of_unknowns(bounds.lower), of_unknowns(bounds.upper));
    if (fault.empty()) continue;
    return fmt::format("group '{}', point {}, {}", group.name, rows[a], fault);
  }
  return {};
}

template <class T>
std::string Problem<T>::Describe(Index a) const {
  return solve::DescribeRow(groups_, a, "point");
}

template <class T>
std::string Problem<T>::JacobianFault(std::span<const T> theta,
                                      const solve::Bounds<T>& bounds) {
  SetTrial(theta);
  for (Group& group : groups_) {
    if (!group.conditions->HandWritten()) continue;
    std::string fault;
    solve::InGroup(group.name, [&] { fault = SlopesFault(group, bounds); });
    if (!fault.empty()) return fault;
  }
  return {};
}

template class Problem<float>;
template class Problem<double>;

}  // namespace sven::pde
