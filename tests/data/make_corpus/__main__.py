# SPDX-License-Identifier: Apache-2.0
"""Writes the small files that the readers are tested with.

    python3 tests/data/make_corpus [FOLDER]     needs numpy and safetensors

valid/FORMAT holds files whose elements are 0, 1, 2, ... in row-major order
(0, 1, 0, 1, ... for bool); malformed/FORMAT holds files that must be refused.
The output is the same on every run. The names say what each file is about.
"""

import idx_files
import index_files
import npy_files
import npz_files
import safetensors_files
import table_files

for module in (
    npy_files,
    npz_files,
    table_files,
    idx_files,
    safetensors_files,
    index_files,
):
    module.make()
