// SPDX-License-Identifier: MIT
#include "sven/core/linearization.h"

#include <vector>

namespace sven::core {

template <class T>
double Linearization<T>::Loss() const {
  const auto R = Residuals();
  return ConstVectorView<double>(R.data(), std::ssize(R)).squaredNorm() /
         static_cast<double>(R.size());
}

template <class T>
void Linearization<T>::Jacobian(MatrixRef<double> M) {
  std::vector<double> unit(static_cast<std::size_t>(NumConditions()), 0.0);
  Vector<T> row(NumParameters());
  for (Index a = 0; a < NumConditions(); ++a) {
    unit[a] = 1.0;
    PullBack(unit, {row.data(), static_cast<std::size_t>(row.size())});
    unit[a] = 0.0;
    M.row(a) = row.transpose().template cast<double>();
  }
}

template class Linearization<float>;
template class Linearization<double>;

}  // namespace sven::core
