#!/usr/bin/env bash
# Compiles every kernel of the folders below to PTX, next to its source. Needs nvcc 13.
# nvcc writes absolute paths into the .file lines: of the folder, and of the toolkit. The committed text has neither.
set -euo pipefail
cd "$(dirname "$0")"
for source in ${1:-*/*.cu}; do
  folder=$(dirname "$source") name=$(basename "$source" .cu)
  (
    cd "$folder"
    nvcc -ptx -arch=sm_90 -lineinfo -o "$name.ptx" "$name.cu"
    sed -i -E "s|^(\s*\.file\s+[0-9]+ )\"$(pwd)/|\1\"|; s|^(\s*\.file\s+[0-9]+ )\".*/include/|\1\"cuda/include/|" "$name.ptx"
  )
done
