// SPDX-License-Identifier: MIT
#include "sven/optim/parameter_batches.h"

#include <gtest/gtest.h>

namespace sven::optim::parameter_batches_test {
namespace {

using Kind = nn::LayerSelection::Kind;

Index SelectedEntries(const nn::ParameterSelection& selection) {
  Index count = 0;
  for (const nn::LayerSelection& layer : selection.Layers()) {
    EXPECT_NE(layer.kind, Kind::kAll);
    count += std::ssize(layer.indices);
  }
  return count;
}

TEST(ParameterSampler, DrawsTheRoundedFractionAndAtLeastOne) {
  const nn::Mlp<double> net({10, 20, 10}, nn::Activation::kGelu, 1);
  RandomStream random(1, RandomUse::kSubsampling);
  ParameterSampler sampler;
  nn::ParameterSelection selection;
  for (const double fraction : {1e-9, 0.1, 0.25, 0.5}) {
    sampler.Draw(net.Layers(), ParameterBatch::kParameters, fraction, random,
                 selection);
    EXPECT_EQ(SelectedEntries(selection),
              std::max<Index>(1, std::lround(fraction * 430)));
  }
}

TEST(ParameterSampler, EveryParameterComesUpEquallyOften) {
  const nn::Mlp<double> net({2, 3, 1}, nn::Activation::kGelu, 1);
  RandomStream random(2, RandomUse::kSubsampling);
  ParameterSampler sampler;
  nn::ParameterSelection selection;
  std::vector<int> hits(std::size_t(net.NumParameters()), 0);
  const int draws = 20000;
  for (int i = 0; i < draws; ++i) {
    sampler.Draw(net.Layers(), ParameterBatch::kParameters, 0.23, random,
                 selection);
    for (std::size_t l = 0; l < net.Layers().size(); ++l) {
      for (const Index position : selection.Layers()[l].indices) {
        ++hits[net.Layers()[l].weight_offset + position];
      }
    }
  }
  const double p = 3.0 / 13;  // round(0.23 * 13) = 3
  for (const int count : hits) {
    EXPECT_NEAR(count, draws * p, 5 * std::sqrt(draws * p * (1 - p)));
  }
}

TEST(ParameterSampler, FrozenTensorsAreNotDrawn) {
  nn::Mlp<double> net({2, 3, 1}, nn::Activation::kGelu, 1);
  net.Freeze(0);
  RandomStream random(1, RandomUse::kSubsampling);
  ParameterSampler sampler;
  nn::ParameterSelection selection;
  for (const ParameterBatch kind :
       {ParameterBatch::kParameters, ParameterBatch::kNeurons,
        ParameterBatch::kLayers}) {
    for (int i = 0; i < 20; ++i) {
      sampler.Draw(net.Layers(), kind, 0.5, random, selection);
      EXPECT_EQ(selection.Layers()[0].kind, Kind::kNone);
      EXPECT_NE(selection.Layers()[1].kind, Kind::kNone);
    }
  }
}

}  // namespace
}  // namespace sven::optim::parameter_batches_test
