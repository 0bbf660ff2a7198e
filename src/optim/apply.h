// SPDX-License-Identifier: MIT
#ifndef SVEN_OPTIM_APPLY_H_
#define SVEN_OPTIM_APPLY_H_

#include <span>

namespace sven::optim {

template <class T>
void AddTo(std::span<const T> update, std::span<T> parameters) {
  const T* u = update.data();
  T* p = parameters.data();
#pragma omp simd
  for (std::size_t i = 0; i < parameters.size(); ++i) p[i] += u[i];
}

}  // namespace sven::optim

#endif  // SVEN_OPTIM_APPLY_H_
