#!/usr/bin/env bash
# Compiles every kernel of the folders below to PTX, next to its source. Needs nvcc 13.
# nvcc writes absolute paths into the .file lines. The committed text has none.
set -euo pipefail
cd "$(dirname "$0")"
stand_in=$(cd ../../../packages/harness/include && pwd)
for source in ${1:-*/kernel.cu}; do
  (
    cd "$(dirname "$source")"
    nvcc -ptx -arch=sm_90 -lineinfo -I"$stand_in" -o kernel.ptx kernel.cu
    sed -i -E "s|^(\s*\.file\s+[0-9]+ )\"$(pwd)/|\1\"|; s|^(\s*\.file\s+[0-9]+ )\".*/harness/include/|\1\"nccl-ts/include/|; s|^(\s*\.file\s+[0-9]+ )\".*/include/|\1\"cuda/include/|" kernel.ptx
  )
done
