// SPDX-License-Identifier: MIT
#include "sven/solve/system.h"

#include <fmt/format.h>

#include "sven/base/error.h"

namespace sven::solve {

template <class T>
double System<T>::CostHere() const {
  const auto R = this->Residuals();
  return ConstVectorView<double>(R.data(), std::ssize(R)).squaredNorm();
}

template <class T>
std::string System<T>::Describe(Index a) const {
  return fmt::format("condition {}", a);
}

template class System<float>;
template class System<double>;

namespace internal {

template <class T>
void CheckSizes(const System<T>& system,
                std::type_identity_t<std::span<const T>> theta) {
  if (std::ssize(theta) != system.NumParameters()) {
    throw UsageError(fmt::format("theta has {} entries for {} parameters",
                                 theta.size(), system.NumParameters()));
  }
  if (system.NumConditions() < 1) {
    throw UsageError("there is no condition: add a group of them");
  }
}

template void CheckSizes(const System<float>&, std::span<const float>);
template void CheckSizes(const System<double>&, std::span<const double>);

}  // namespace internal
}  // namespace sven::solve
