import { oneCta } from './acceptance-rows.ts';
import type { Edit, ProofRow } from './proof-rows.ts';

interface RemovalRow {
  readonly name: string;
  readonly ranks: number;
  readonly launch: string;
  readonly ptx: string;
  readonly edits?: readonly Edit[];
  readonly args?: readonly string[];
  /** The number of removals that the results files call redundant in every schedule. */
  readonly redundant: number;
}

const kernels: readonly RemovalRow[] = [
  { name: '1, vLLM 1stage', ranks: 2, launch: 'vllm-1stage', ptx: 'vllm.ptx', redundant: 2 },
  { name: '2, vLLM 2stage', ranks: 2, launch: 'vllm-2stage-2', ptx: 'vllm.ptx', redundant: 0 },
  { name: '3, vLLM 2stage', ranks: 8, launch: 'vllm-2stage-8', ptx: 'vllm.ptx', redundant: 0 },
  { name: '4, vLLM, flags of bytes', ranks: 2, launch: 'vllm-byte-flags', ptx: 'vllm-bytes.ptx', redundant: 3 },
  {
    name: '8, FlashInfer twoshot_sync, 1 CTA',
    ranks: 2,
    launch: 'flashinfer-twoshot',
    ptx: 'fusion.ptx',
    edits: [oneCta],
    redundant: 3,
  },
  {
    name: '9, FlashInfer oneshot_lamport, 2 threads',
    ranks: 4,
    launch: 'flashinfer-oneshot-lamport',
    ptx: 'fusion.ptx',
    redundant: 2,
  },
  {
    name: '9, FlashInfer oneshot_lamport, 64 threads',
    ranks: 4,
    launch: 'flashinfer-oneshot-lamport',
    ptx: 'fusion.ptx',
    edits: [
      ['count = 16', 'count = 512'],
      ['block: 2,', 'block: 64,'],
    ],
    redundant: 1,
  },
  {
    name: '10, FlashInfer rsag over PCIe, 1 CTA',
    ranks: 4,
    launch: 'flashinfer-pcie-rsag',
    ptx: 'pcie.ptx',
    edits: [oneCta],
    redundant: 7,
  },
  { name: '11, DeepEP notify_dispatch', ranks: 2, launch: 'deepep-notify-dispatch', ptx: 'deepep.ptx', redundant: 5 },
  { name: 'NCCL simpleAllReduceKernel', ranks: 2, launch: 'nccl-all-reduce-lsa', ptx: 'nccl-ar.ptx', redundant: 3 },
  { name: 'NCCL RMSNormLSA', ranks: 2, launch: 'nccl-rmsnorm-lsa', ptx: 'nccl-rms-lsa.ptx', redundant: 5 },
  { name: 'NCCL RMSNormMultimem', ranks: 2, launch: 'nccl-rmsnorm-multimem', ptx: 'nccl-rms-mm.ptx', redundant: 5 },
  {
    name: 'DeepEP cached_notify_combine',
    ranks: 2,
    launch: 'deepep-cached-notify-combine',
    ptx: 'deepep.ptx',
    redundant: 4,
  },
  {
    name: 'TensorRT-LLM one-shot with a barrier',
    ranks: 2,
    launch: 'trtllm-one-shot',
    ptx: 'trtllm-barrier.ptx',
    redundant: 0,
  },
  {
    name: 'TensorRT-LLM two-shot with barriers',
    ranks: 4,
    launch: 'trtllm-two-shot',
    ptx: 'trtllm-barrier.ptx',
    redundant: 0,
  },
  { name: 'MSCCL++ allreduceAllPairs', ranks: 2, launch: 'mscclpp-all-pairs', ptx: 'mscclpp.ptx', redundant: 0 },
];

/** The kernels of the results files whose synchronisations were removed, one at a time. */
export const removalRows: readonly ProofRow[] = kernels.map(({ name, ranks, redundant, ...check }) => ({
  group: 'synchronisations removed',
  name,
  ranks,
  check: { kind: 'removals', ...check },
  published: `${redundant} redundant`,
}));
