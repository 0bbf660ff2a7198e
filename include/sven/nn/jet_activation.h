// SPDX-License-Identifier: MIT
#ifndef SVEN_NN_JET_ACTIVATION_H_
#define SVEN_NN_JET_ACTIVATION_H_

#include "sven/nn/activation.h"

namespace sven::nn {

// Whether f has second derivatives everywhere: all but relu.
[[nodiscard]] bool IsSmooth(Activation activation);

// Where the results of ActivateJet go, `count` numbers each.
template <class T>
struct ActivationSlopes {
  T* value;   // f(z); may be z
  T* first;   // f'(z)
  T* second;  // f''(z), 0 for relu
  T* third;   // f'''(z), 0 for relu
};

template <class T>
void ActivateJet(Activation activation, Index count, const T* z,
                 const ActivationSlopes<T>& out);

}  // namespace sven::nn

#endif  // SVEN_NN_JET_ACTIVATION_H_
