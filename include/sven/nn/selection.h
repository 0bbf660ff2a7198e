// SPDX-License-Identifier: MIT
//
// Which parameters take part in a step. Whole layers and whole neurons (rows of
// a weight matrix with their bias) keep the product form of the Gram matrix;
// single parameters do not, but need no full Jacobian either.
#ifndef SVEN_NN_SELECTION_H_
#define SVEN_NN_SELECTION_H_

#include <cstdint>
#include <span>
#include <vector>

#include "sven/nn/mlp.h"

namespace sven::nn {

struct LayerSelection {
  enum class Kind { kNone, kAll, kNeurons, kEntries };
  Kind kind = Kind::kNone;
  // For kAll and kNeurons: the parts that are free.
  bool weight = false;
  bool bias = false;
  // Ascending. kNeurons: rows of W. kEntries: positions in the layer's part of
  // the flat vector.
  std::vector<Index> indices;
};

class ParameterSelection {
 public:
  // Everything that is not frozen. The functions below also leave out what is
  // frozen, and recognise layers that are selected whole.
  void SelectAll(const std::vector<DenseLayer>& layers);
  // Layers by their number.
  void SelectLayers(const std::vector<DenseLayer>& layers,
                    std::span<const Index> chosen);
  // Neurons by their number, counted through the network; ascending.
  void SelectNeurons(const std::vector<DenseLayer>& layers,
                     std::span<const Index> chosen);
  // Positions in the flat vector, ascending.
  void SelectParameters(const std::vector<DenseLayer>& layers,
                        std::span<const Index> chosen);
  // One entry per parameter of the flat vector; not zero: selected.
  void SelectMask(const std::vector<DenseLayer>& layers,
                  std::span<const std::uint8_t> mask);

  // The other way round: 1 for what is selected, else 0.
  void FillMask(std::span<std::uint8_t> mask) const;

  [[nodiscard]] const std::vector<LayerSelection>& Layers() const {
    return layers_;
  }
  // Whether it was made for these layers, frozen as they are.
  [[nodiscard]] bool Fits(const std::vector<DenseLayer>& layers) const {
    return made_for_ == layers;
  }
  // The lowest layer with a selected parameter, the number of layers if none.
  [[nodiscard]] Index LowestLayer() const;

 private:
  void Clear(const std::vector<DenseLayer>& layers);

  std::vector<LayerSelection> layers_;
  std::vector<DenseLayer> made_for_;
  std::vector<Index> scratch_;
};

}  // namespace sven::nn

#endif  // SVEN_NN_SELECTION_H_
