#!/usr/bin/env bash
# Runs one program that pack.sh has packed, on the GPU machine:  bash .gpu/run.sh PROGRAM [ARGUMENT ...]
# Files of results go to $OUT, or to the present folder. CUDA_HOME and NCCL_HOME choose the toolkit and NCCL.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
name=$1
[ -f "$here/$name.mjs" ] || { echo "run.sh: $name is not packed: bash apps/bench/gpu-machine/pack.sh $name" >&2; exit 2; }
export NCCLTS_COMMIT NCCLTS_COMMAND="bash .gpu/run.sh $*"
NCCLTS_COMMIT=$(cat "$here/commit")
shift
node=${TMPDIR:-/tmp}/nccl-ts-node-$(id -u)-$(cat "$here/node.version")
if [ ! -x "$node" ]; then
  python3 -c "import lzma,shutil,sys; shutil.copyfileobj(lzma.open(sys.argv[1]), open(sys.argv[2], 'wb'))" "$here/node.xz" "$node.$$"
  chmod +x "$node.$$"
  mv "$node.$$" "$node"
fi
if compgen -G "$here/*.deb" > /dev/null && ! ldconfig -p | grep -q libvulkan.so.1; then
  for deb in "$here"/*.deb; do dpkg -x "$deb" /; done
  ldconfig
fi
# Where NVIDIA's driver describes itself to Vulkan.
for icd in /usr/share/vulkan/icd.d /etc/vulkan/icd.d /usr/local/nvidia/share/vulkan/icd.d; do
  if [ -f "$icd/nvidia_icd.json" ]; then export VK_ICD_FILENAMES="${VK_ICD_FILENAMES:-$icd/nvidia_icd.json}"; fi
done
export CUDA_HOME=${CUDA_HOME:-/usr/local/cuda}
if [ -z "${NCCL_HOME:-}" ]; then
  # NCCL from a Python wheel, where there is one; else the backend looks for it itself.
  wheel=$(python3 -c "import nvidia; print(list(nvidia.__path__)[0])" 2>/dev/null || true)
  if [ -n "$wheel" ] && [ -d "$wheel/nccl" ]; then export NCCL_HOME="$wheel/nccl"; fi
fi
# Multicast stays off, unless whoever runs this says otherwise.
export NCCL_NVLS_ENABLE=${NCCL_NVLS_ENABLE:-0}
exec "$node" --enable-source-maps "$here/$name.mjs" "$@"
