// SPDX-License-Identifier: MIT
#include "testing/problems.h"
