// SPDX-License-Identifier: MIT
#include "sven/data/optimizer_state.h"

#include "sven/data/state_file.h"

namespace sven::data {
namespace {

constexpr std::string_view kPrefix = "optimizer";

}  // namespace

template <class T>
void AppendOptimizerState(optim::Optimizer<T>& optimizer,
                          SafetensorsFile& file) {
  AppendState(
      kPrefix,
      [&](optim::StateArchive& archive) { optimizer.VisitState(archive); },
      file);
}

template <class T>
void RestoreOptimizerState(const SafetensorsFile& file,
                           const std::string& source, const nn::Mlp<T>& net,
                           optim::Optimizer<T>& optimizer) {
  optimizer.Prepare(net);
  RestoreState(
      kPrefix,
      [&](optim::StateArchive& archive) { optimizer.VisitState(archive); },
      file, source);
}

template void AppendOptimizerState(optim::Optimizer<float>&, SafetensorsFile&);
template void AppendOptimizerState(optim::Optimizer<double>&, SafetensorsFile&);
template void RestoreOptimizerState(const SafetensorsFile&, const std::string&,
                                    const nn::Mlp<float>&,
                                    optim::Optimizer<float>&);
template void RestoreOptimizerState(const SafetensorsFile&, const std::string&,
                                    const nn::Mlp<double>&,
                                    optim::Optimizer<double>&);

}  // namespace sven::data
