// SPDX-License-Identifier: MIT
//
// Empty: the precompiled header of all tests needs a target with a source.
