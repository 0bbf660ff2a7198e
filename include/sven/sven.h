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
#include "sven/data/optimizer_state.h"
#include "sven/data/safetensors.h"
#include "sven/data/tasks.h"
#include "sven/linalg/product.h"
#include "sven/nn/batch.h"
#include "sven/nn/loss.h"
#include "sven/nn/mlp.h"
#include "sven/optim/adam.h"
#include "sven/optim/adamw.h"
#include "sven/optim/gauss_newton.h"
#include "sven/optim/half_inverse.h"
#include "sven/optim/jacobian_descent.h"
#include "sven/optim/kfac.h"
#include "sven/optim/lbfgs.h"
#include "sven/optim/levenberg_marquardt.h"
#include "sven/optim/lion.h"
#include "sven/optim/min_sr.h"
#include "sven/optim/muon.h"
#include "sven/optim/natural_gradient.h"
#include "sven/optim/polyak.h"
#include "sven/optim/registry.h"
#include "sven/optim/rmsprop.h"
#include "sven/optim/schedule_free_adamw.h"
#include "sven/optim/sgd.h"
#include "sven/optim/shampoo.h"
#include "sven/optim/soap.h"
#include "sven/optim/spring.h"
#include "sven/optim/sven.h"

#endif  // SVEN_SVEN_H_
