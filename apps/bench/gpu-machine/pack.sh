#!/usr/bin/env bash
# Packs programs, with all that a GPU machine without Node and without a network needs, into .gpu/ (which git ignores).
#
#   bash apps/bench/gpu-machine/pack.sh [--webgpu] PROGRAM ...
#
# A PROGRAM is a name in apps/bench/src/gpu (bench, conformance, table, ...) or the path of a TypeScript file. Each becomes
# one bundle beside the Node binary and koffi. Copy .gpu/ to the GPU machine, and there:  bash .gpu/run.sh PROGRAM [ARGUMENT ...]
# --webgpu also packs Dawn and Debian's Vulkan loader. CUDA's toolkit and NCCL are the machine's own.
set -euo pipefail
cd "$(dirname "$0")/../../.."
webgpu=0
if [ "${1:-}" = --webgpu ]; then webgpu=1; shift; fi
[ $# -ge 1 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
out=.gpu
mkdir -p "$out/node_modules"
for program in "$@"; do
  entry=$program
  [ -f "$entry" ] || entry=apps/bench/src/gpu/$program.ts
  [ -f "$entry" ] || { echo "pack.sh: there is no apps/bench/src/gpu/$program.ts, and no file $program" >&2; exit 2; }
  name=$(basename "$entry"); name=${name%.*}
  npx --no-install esbuild "$entry" --bundle --platform=node --format=esm --target=node20 --log-level=warning \
    --conditions=@nccl-ts/source --external:koffi --external:webgpu \
    --banner:js="import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" --outfile="$out/$name.mjs"
done
# The largest part is packed once.
node=$(readlink -f "$(command -v node)")
if [ "$(cat "$out/node.version" 2>/dev/null)" != "$(node --version)" ]; then
  xz -T0 -3 -c "$node" > "$out/node.xz"
  node --version > "$out/node.version"
fi
# With the commit a result can say what it measured.
if [ -n "$(git status --porcelain --untracked-files=no)" ]; then dirty=-dirty; else dirty=; fi
echo "$(git rev-parse HEAD)$dirty" > "$out/commit"
koffi=$(readlink -f apps/bench/node_modules/koffi)
rm -rf "$out/node_modules/koffi" "$out/node_modules/@koromix"
mkdir -p "$out/node_modules/@koromix"
cp -rL "$koffi" "$out/node_modules/koffi"
rm -rf "$out/node_modules/koffi/vendor" "$out/node_modules/koffi/doc"
cp -rL "$(dirname "$koffi")/@koromix/koffi-linux-x64" "$out/node_modules/@koromix/"
if [ "$webgpu" = 1 ]; then
  dawn=$(readlink -f apps/bench/node_modules/webgpu)
  rm -rf "$out/node_modules/webgpu"
  mkdir -p "$out/node_modules/webgpu/dist"
  cp -L "$dawn"/*.js "$dawn"/package.json "$out/node_modules/webgpu/"
  cp -rL "$dawn"/dist/*linux-x64* "$out/node_modules/webgpu/dist/"
  (cd "$out" && apt-get -q download libvulkan1 libegl1 libglvnd0 libgl1 libglx0 libopengl0 libgles2 > /dev/null)
fi
cp apps/bench/gpu-machine/run.sh "$out/run.sh"
du -sh "$out" | sed 's/^/packed: /'
