// SPDX-License-Identifier: Apache-2.0
// Empty: stands for the precompiled headers that all test programs share, and
// which CMake makes for a target with a source only.
