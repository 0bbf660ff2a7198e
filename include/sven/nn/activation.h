// SPDX-License-Identifier: MIT
#ifndef SVEN_NN_ACTIVATION_H_
#define SVEN_NN_ACTIVATION_H_

#include <string_view>
#include <utility>

#include "sven/base/enum_names.h"
#include "sven/base/types.h"

namespace sven::nn {

enum class Activation {
  kGelu,      // x Phi(x), exact; Phi the normal distribution function
  kGeluTanh,  // the usual approximation of it with tanh
  kRelu,      // max(x, 0), slope 0 at 0
  kTanh,
  kSilu,      // x sigmoid(x)
  kSigmoid,   // 1 / (1 + exp(-x))
  kSoftplus,  // log(1 + exp(x))
  kIdentity,
};

// value[i] = f(z[i]) and, unless slope is null, slope[i] = f'(z[i]). value may
// be z.
template <class T>
void Activate(Activation activation, Index count, const T* z, T* value,
              T* slope);

}  // namespace sven::nn

template <>
struct sven::EnumNames<sven::nn::Activation> {
  static constexpr std::pair<std::string_view, nn::Activation> kTable[] = {
      {"gelu", nn::Activation::kGelu},
      {"gelu_tanh", nn::Activation::kGeluTanh},
      {"relu", nn::Activation::kRelu},
      {"tanh", nn::Activation::kTanh},
      {"silu", nn::Activation::kSilu},
      {"sigmoid", nn::Activation::kSigmoid},
      {"softplus", nn::Activation::kSoftplus},
      {"identity", nn::Activation::kIdentity},
  };
};

#endif  // SVEN_NN_ACTIVATION_H_
