import type { Edit, ProofGroup, ProofRow } from './proof-rows.ts';

interface LaunchRows {
  readonly group: ProofGroup;
  readonly name: string;
  readonly launch: string;
  readonly ptx: string;
  /** The verdict of the results file for each number of ranks. */
  readonly published: Readonly<Record<number, string>>;
  /** Replacements in the launch, for a number of ranks. */
  readonly edits?: (ranks: number) => readonly Edit[];
  readonly args?: (ranks: number) => readonly string[];
}

function rows({ group, name, launch, ptx, published, edits, args }: LaunchRows): readonly ProofRow[] {
  return Object.entries(published).map(([key, verdict]) => {
    const ranks = Number(key);
    const check = { kind: 'launch', launch, ptx, edits: edits?.(ranks) ?? [], args: args?.(ranks) ?? [] } as const;
    return { group, name, ranks, check, published: verdict };
  });
}

const EVERY = 'every schedule';

/** The number of ranks of a launch that names it. */
const constant = (ranks: number): readonly Edit[] => [['const ranks = 2;', `const ranks = ${ranks};`]];
const field = (ranks: number): readonly Edit[] => [['ranks: 2,', `ranks: ${ranks},`]];
const constantAnd =
  (...more: readonly Edit[]) =>
  (ranks: number): readonly Edit[] => [...constant(ranks), ...more];

export const oneCta: Edit = ['grid: 2,', 'grid: 1,'];
const twoShots: Edit = ['const shots = 1;', 'const shots: number = 2;'];
const multicast: Edit = ["'LoadStoreImpl'", "'MultiCastImpl'"];

const first = 'results.md';
const second = 'results-nccl-deepep.md';
const third = 'results-further.md';

const deepEp =
  (grid: boolean) =>
  (ranks: number): readonly Edit[] => [
    ...field(ranks),
    [`<2>'`, `<${ranks}>'`],
    ...(grid ? ([['grid: 3,', `grid: ${ranks + 1},`]] as const) : []),
  ];

const kernels: readonly LaunchRows[] = [
  { group: first, name: '1, vLLM 1stage', launch: 'vllm-1stage', ptx: 'vllm.ptx', published: { 2: EVERY } },
  { group: first, name: '2, vLLM 2stage', launch: 'vllm-2stage-2', ptx: 'vllm.ptx', published: { 2: EVERY } },
  { group: first, name: '3, vLLM 2stage', launch: 'vllm-2stage-8', ptx: 'vllm.ptx', published: { 8: EVERY } },
  {
    group: first,
    name: '8, FlashInfer twoshot_sync, 1 CTA',
    launch: 'flashinfer-twoshot',
    ptx: 'fusion.ptx',
    edits: () => [oneCta],
    published: { 2: EVERY },
  },
  {
    group: first,
    name: '8, FlashInfer twoshot_sync, 2 CTAs',
    launch: 'flashinfer-twoshot',
    ptx: 'fusion.ptx',
    published: { 2: '16 schedules' },
  },
  {
    group: first,
    name: '9, FlashInfer oneshot_lamport',
    launch: 'flashinfer-oneshot-lamport',
    ptx: 'fusion.ptx',
    published: { 4: EVERY },
  },
  {
    group: first,
    name: '10, FlashInfer rsag over PCIe, 2 CTAs',
    launch: 'flashinfer-pcie-rsag',
    ptx: 'pcie.ptx',
    published: { 4: '15 schedules' },
  },
  {
    group: first,
    name: '10, FlashInfer rsag over PCIe, 1 CTA',
    launch: 'flashinfer-pcie-rsag',
    ptx: 'pcie.ptx',
    edits: () => [oneCta],
    published: { 4: EVERY },
  },
  {
    group: first,
    name: '12, FlashInfer moeAllToAllKernel',
    launch: 'flashinfer-moe-all-to-all',
    ptx: 'alltoall.ptx',
    published: { 2: '15 schedules' },
  },
  {
    group: second,
    name: 'NCCL simpleAllReduceKernel',
    launch: 'nccl-all-reduce-lsa',
    ptx: 'nccl-ar.ptx',
    edits: field,
    published: { 2: EVERY, 4: EVERY, 8: EVERY },
  },
  {
    group: second,
    name: 'NCCL simpleAllReduceKernel without its second barrier',
    launch: 'nccl-all-reduce-lsa',
    ptx: 'nccl-ar-no-barrier.ptx',
    published: { 2: 'race' },
  },
  {
    group: second,
    name: 'NCCL RMSNormLSA',
    launch: 'nccl-rmsnorm-lsa',
    ptx: 'nccl-rms-lsa.ptx',
    edits: field,
    published: { 2: EVERY, 4: EVERY, 8: EVERY },
  },
  {
    group: second,
    name: 'NCCL RMSNormMultimem',
    launch: 'nccl-rmsnorm-multimem',
    ptx: 'nccl-rms-mm.ptx',
    edits: field,
    published: { 2: EVERY, 4: EVERY, 8: EVERY },
  },
  {
    group: second,
    name: 'DeepEP barrier',
    launch: 'deepep-barrier',
    ptx: 'deepep.ptx',
    edits: deepEp(false),
    published: { 2: EVERY, 4: EVERY, 8: EVERY },
  },
  {
    group: second,
    name: 'DeepEP notify_dispatch',
    launch: 'deepep-notify-dispatch',
    ptx: 'deepep.ptx',
    edits: deepEp(true),
    published: { 2: EVERY, 4: EVERY, 8: EVERY },
  },
  {
    group: second,
    name: 'vLLM, flags of bytes',
    launch: 'vllm-byte-flags',
    ptx: 'vllm-bytes.ptx',
    edits: (ranks: number): readonly Edit[] => [...field(ranks), ['<float, 2>', `<float, ${ranks}>`]],
    published: { 2: 'race', 4: 'race', 8: 'race' },
  },
  {
    group: third,
    name: 'NCCL PureGinAlltoAllKernel',
    launch: 'nccl-all-to-all-gin',
    ptx: 'nccl-gin.ptx',
    args: (ranks: number) => ['--ranks', String(ranks)],
    published: { 2: EVERY, 4: EVERY, 8: EVERY },
  },
  ...(['no-flush', 'no-last-barrier', 'relaxed-last'] as const).map((change): LaunchRows => ({
    group: third,
    name: `NCCL PureGinAlltoAllKernel, ${change}`,
    launch: 'nccl-all-to-all-gin',
    ptx: `nccl-gin-${change}.ptx`,
    published: { 2: EVERY },
  })),
  {
    group: third,
    name: 'NCCL HybridAlltoAllKernel',
    launch: 'nccl-all-to-all-hybrid',
    ptx: 'nccl-hybrid.ptx',
    args: (ranks: number) => ['--ranks', String(ranks), '--lsa-size', String(ranks / 2)],
    published: { 2: EVERY, 4: EVERY, 8: EVERY },
  },
  {
    group: third,
    name: 'NVSHMEM ring_reduce',
    launch: 'nvshmem-ring-reduce',
    ptx: 'nvshmem-reduce.ptx',
    args: (ranks: number) => ['--ranks', String(ranks)],
    published: { 2: 'schedules and executions', 4: 'schedules and executions', 8: 'schedules and executions' },
  },
  {
    group: third,
    name: 'NVSHMEM ring_bcast',
    launch: 'nvshmem-ring-bcast',
    ptx: 'nvshmem-bcast.ptx',
    args: (ranks: number) => ['--ranks', String(ranks)],
    published: { 2: EVERY, 4: '15 schedules', 8: '15 schedules' },
  },
  {
    group: third,
    name: 'TensorRT-LLM oneShotAllReduceKernel',
    launch: 'trtllm-one-shot',
    ptx: 'trtllm.ptx',
    published: { 2: 'race' },
  },
  {
    group: third,
    name: 'TensorRT-LLM twoShotAllReduceKernel',
    launch: 'trtllm-two-shot',
    ptx: 'trtllm.ptx',
    published: { 4: 'race' },
  },
  {
    group: third,
    name: 'TensorRT-LLM oneShotAllReduceKernel with a barrier',
    launch: 'trtllm-one-shot',
    ptx: 'trtllm-barrier.ptx',
    published: { 2: EVERY },
  },
  {
    group: third,
    name: 'TensorRT-LLM twoShotAllReduceKernel with barriers',
    launch: 'trtllm-two-shot',
    ptx: 'trtllm-barrier.ptx',
    published: { 4: EVERY },
  },
  {
    group: third,
    name: 'FlashInfer oneshotAllreduceFusionKernel, multicast',
    launch: 'mnnvl-one-shot',
    ptx: 'mnnvl.ptx',
    edits: constant,
    published: { 2: '16 schedules', 4: '16 schedules', 8: '16 schedules' },
  },
  {
    group: third,
    name: 'FlashInfer twoshotAllreduceKernel, multicast',
    launch: 'mnnvl-two-shot',
    ptx: 'mnnvl.ptx',
    edits: constant,
    published: { 2: '16 schedules', 4: '16 schedules', 8: '16 schedules' },
  },
  {
    group: third,
    name: 'PyTorch one_shot_all_reduce_kernel',
    launch: 'pytorch-one-shot',
    ptx: 'pytorch.ptx',
    published: { 4: '16 schedules' },
  },
  {
    group: third,
    name: 'PyTorch two_shot_all_reduce_kernel_inplace',
    launch: 'pytorch-two-shot',
    ptx: 'pytorch.ptx',
    published: { 4: '16 schedules' },
  },
  {
    group: third,
    name: 'MSCCL++ allreduceAllPairs',
    launch: 'mscclpp-all-pairs',
    ptx: 'mscclpp.ptx',
    edits: constant,
    published: { 2: '15 schedules', 4: '15 schedules', 8: '15 schedules' },
  },
  {
    group: third,
    name: 'DeepEP cached_notify_combine',
    launch: 'deepep-cached-notify-combine',
    ptx: 'deepep.ptx',
    published: { 2: EVERY },
  },
  {
    group: third,
    name: 'SGLang all_reduce_1shot_push_kernel',
    launch: 'sglang-push',
    ptx: 'sglang.ptx',
    edits: constant,
    published: { 2: '16 schedules', 4: '16 schedules', 8: '16 schedules' },
  },
  {
    group: third,
    name: 'SGLang all_reduce_2shot_push_kernel',
    launch: 'sglang-push',
    ptx: 'sglang.ptx',
    edits: constantAnd(twoShots),
    published: { 2: '16 schedules', 4: '16 schedules', 8: '16 schedules' },
  },
  {
    group: third,
    name: 'SGLang all_reduce_1shot_pull_kernel',
    launch: 'sglang-pull',
    ptx: 'sglang.ptx',
    published: { 2: 'race' },
  },
  {
    group: third,
    name: 'SGLang all_reduce_2shot_pull_kernel',
    launch: 'sglang-pull',
    ptx: 'sglang.ptx',
    edits: constantAnd(twoShots),
    published: { 2: 'race' },
  },
  {
    group: third,
    name: 'SGLang all_reduce_1shot_pull_kernel, multicast',
    launch: 'sglang-pull',
    ptx: 'sglang.ptx',
    edits: constantAnd(multicast),
    published: { 2: 'race' },
  },
  {
    group: third,
    name: 'SGLang all_reduce_2shot_pull_kernel, multicast',
    launch: 'sglang-pull',
    ptx: 'sglang.ptx',
    edits: constantAnd(multicast, twoShots),
    published: { 2: 'race' },
  },
  {
    group: third,
    name: 'SGLang allreduce_1shotLL_1node',
    launch: 'sglang-mscclpp',
    ptx: 'sglang-mscclpp.ptx',
    edits: constant,
    published: { 2: 'race', 4: 'race' },
  },
  ...([2, 4, 8] as const).flatMap((ranks): readonly LaunchRows[] => [
    {
      group: third,
      name: 'Kraken one_shot_all_reduce_bias_kernel',
      launch: 'kraken-bias',
      ptx: `kraken-one-${ranks}.ptx`,
      edits: constant,
      published: { [ranks]: '16 schedules' },
    },
    {
      group: third,
      name: 'Kraken two_shot_all_reduce_bias_kernel',
      launch: 'kraken-bias',
      ptx: `kraken-two-${ranks}.ptx`,
      edits: constantAnd(twoShots),
      published: { [ranks]: '16 schedules' },
    },
  ]),
  ...([2, 4] as const).map((ranks): LaunchRows => ({
    group: third,
    name: 'CuTe AllReduceOneShotLamportKernel',
    launch: 'cute-lamport',
    ptx: `cute-${ranks}.ptx`,
    edits: constant,
    published: { [ranks]: '15 schedules' },
  })),
  {
    group: third,
    name: 'torchcomms ddaAllReduceFlatIpc',
    launch: 'torchcomms-dda',
    ptx: 'dda.ptx',
    published: { 8: '16 schedules' },
  },
  {
    group: third,
    name: 'torchcomms ddaAllReduceTreeIpc',
    launch: 'torchcomms-dda',
    ptx: 'dda.ptx',
    edits: (): readonly Edit[] => [["how: string = 'Flat'", "how: string = 'Tree'"]],
    published: { 8: '16 schedules' },
  },
  {
    group: third,
    name: 'DeepEP gpu_barrier',
    launch: 'deepep-elastic-barrier',
    ptx: 'deepep-elastic.ptx',
    edits: constant,
    published: { 2: '16 schedules', 4: '16 schedules', 8: '16 schedules' },
  },
  {
    group: third,
    name: 'NVSHMEM ping_pong',
    launch: 'nvshmem-ping-pong',
    ptx: 'nvshmem-ping.ptx',
    published: { 2: EVERY },
  },
  ...(['warp', 'block'] as const).map((form): LaunchRows => ({
    group: third,
    name: `NVSHMEM ping_pong_${form}`,
    launch: 'nvshmem-ping-pong',
    ptx: 'nvshmem-ping.ptx',
    edits: (): readonly Edit[] => [["entry: string = 'ping_pong'", `entry: string = 'ping_pong_${form}'`]],
    published: { 2: '31 schedules' },
  })),
  {
    group: third,
    name: 'NVSHMEM ping_pong, atomic',
    launch: 'nvshmem-ping-pong',
    ptx: 'nvshmem-ping-atomic.ptx',
    published: { 2: '16 schedules' },
  },
];

/** The rows of the three results files that check a kernel as it is. */
export const acceptanceRows: readonly ProofRow[] = kernels.flatMap(rows);
