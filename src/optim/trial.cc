// SPDX-License-Identifier: MIT
#include "sven/optim/trial.h"

#include <algorithm>

namespace sven::optim {

template <class T>
double Trial<T>::Loss(BatchProblem<T>& problem, std::span<const T> update) {
  const std::span<T> p = problem.Net().Parameters();
  start_.assign(p.begin(), p.end());
  for (std::size_t i = 0; i < p.size(); ++i) p[i] += update[i];
  const double loss = problem.Loss();
  std::copy(start_.begin(), start_.end(), p.begin());
  return loss;
}

template class Trial<float>;
template class Trial<double>;

}  // namespace sven::optim
