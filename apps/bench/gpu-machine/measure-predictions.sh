#!/usr/bin/env bash
# On a machine with two GPUs, measures all that predictions need and are compared with: the machine's profile, the
# collectives by each algorithm and by the selection beside NCCL's own, and NCCL's own estimates. At most 9 minutes.
#
#   bash apps/bench/gpu-machine/pack.sh profile table
#   cp apps/bench/gpu-machine/{measure-predictions.sh,nccl-estimate.py} .gpu/
#   OUT=results bash .gpu/measure-predictions.sh h100-nvlink4          # there
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
name=${1:?the name of the profile, such as h200-nvlink4}
export OUT=${OUT:-.} NCCL_NVLS_ENABLE=0
step() {
  local left=$((535 - SECONDS)) log=$OUT/$1.log
  shift
  [ "$left" -gt 10 ] && timeout -k 2 "$left" "$@" > "$log" 2>&1
  echo "$(basename "$log" .log): rc $?, at $SECONDS s"
}
sizes=(--gpus 2 -b 1K -e 64M -f 4 --rounds 5)
step profile bash "$here/run.sh" profile --name "$name"
step estimate bash -c "python3 '$here/nccl-estimate.py' 2 > '$OUT/estimate.json'"
step all-reduce bash "$here/run.sh" table "${sizes[@]}" --programs all_reduce --out all-reduce.json \
  --contenders own,ll,oneShot,twoShot,chunked,ring,sentinel,nccl,nccl-symmetric
step others bash "$here/run.sh" table "${sizes[@]}" --programs all_gather,reduce_scatter,alltoall --out others.json \
  --contenders own,ll,direct,ring,nccl,nccl-symmetric
grep -h '"failed"\|"ok":false' "$OUT"/*.log | cut -c1-500
tail -n 2 "$OUT"/profile.log "$OUT"/estimate.log | cut -c1-400
