// SPDX-License-Identifier: MIT
//
// Everything: #include <sven/sven.h>, link sven::sven.
#ifndef SVEN_SVEN_H_
#define SVEN_SVEN_H_

#include "sven/core/dense_linearization.h"
#include "sven/core/step.h"
#include "sven/data/csv.h"
#include "sven/data/dataset_file.h"
#include "sven/data/idx.h"
#include "sven/data/model_file.h"
#include "sven/data/npy.h"
#include "sven/data/npz.h"
#include "sven/data/safetensors.h"
#include "sven/data/tasks.h"
#include "sven/linalg/product.h"
#include "sven/nn/batch.h"
#include "sven/nn/loss.h"
#include "sven/nn/mlp.h"
#include "sven/optim/sgd.h"
#include "sven/optim/sven.h"

#endif  // SVEN_SVEN_H_
