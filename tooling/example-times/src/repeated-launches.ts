import { rowExchangeRequirement } from '@nccl-ts/collectives';
import type { Communicator } from '@nccl-ts/communicator';
import { f32, u32 } from '@nccl-ts/kernel';
import { allToAll } from '@nccl-ts/examples/kernels/all-to-all.ts';
import { dotProduct } from '@nccl-ts/examples/kernels/dot-product.ts';
import { ringAllReduce } from '@nccl-ts/examples/kernels/ring-all-reduce.ts';
import {
  allReduceKernel,
  allToAllSentinel,
  allToAllSimple,
  rmsNormLsa,
  rmsNormPush,
  sentinels,
} from '@nccl-ts/examples/programs';

/**
 * An example's kernel whose launches may follow each other without a host between them, so that its
 * time can be measured. It needs neither multicast nor a network.
 */
export interface RepeatedLaunch {
  readonly name: string;
  /** Makes a rank's memory. Returns the function that makes launch number `nth`, from 0. */
  readonly prepare: (comm: Communicator) => Promise<(nth: number) => Promise<void>>;
}

const CTAS = 16;
const THREADS = 512;
const COUNT = 1 << 20;
const NORM = { tokensPerRank: 32, hidden: 1024, eps: 1e-6 } as const;
const LINES = 1024;

/** The examples that run on GPUs of one load-store domain, in the sizes of their full runs. */
export const repeatedLaunches: readonly RepeatedLaunch[] = [
  {
    name: 'kernels/all-to-all',
    prepare: async (comm) => {
      const count = COUNT / comm.nRanks;
      const send = await comm.allocWindow(f32, COUNT);
      const recv = await comm.allocWindow(f32, COUNT);
      const devComm = await comm.createDevComm({ lsaBarrierCount: CTAS });
      return async () => comm.launch(allToAll, { grid: CTAS, block: THREADS }, { comm: devComm, send, recv, count });
    },
  },
  {
    name: 'kernels/dot-product',
    prepare: async (comm) => {
      const count = COUNT / CTAS;
      const x = await comm.allocWindow(f32, COUNT);
      const y = await comm.allocWindow(f32, COUNT);
      const out = await comm.allocWindow(f32, CTAS * (comm.nRanks + 1));
      const devComm = await comm.createDevComm({ lsaBarrierCount: CTAS });
      return async () => comm.launch(dotProduct, { grid: CTAS, block: THREADS }, { comm: devComm, x, y, out, count });
    },
  },
  {
    name: 'kernels/ring-all-reduce',
    prepare: async (comm) => {
      const win = await comm.allocWindow(f32, COUNT);
      const devComm = await comm.createDevComm({ lsaBarrierCount: CTAS });
      return async () =>
        comm.launch(ringAllReduce, { grid: CTAS, block: THREADS }, { comm: devComm, win, count: COUNT });
    },
  },
  {
    name: '01-allreduce-lsa',
    prepare: async (comm) => {
      const sendWin = await comm.allocWindow(f32, COUNT);
      const recvWin = await comm.allocWindow(f32, COUNT);
      const devComm = await comm.createDevComm({ lsaBarrierCount: CTAS });
      const args = { sendWin, sendOffset: 0, recvWin, recvOffset: 0, count: COUNT, comm: devComm };
      return async () => comm.launch(allReduceKernel, { grid: CTAS, block: THREADS }, args);
    },
  },
  {
    name: '05-rmsnorm-lsa',
    prepare: async (comm) => {
      const { tokensPerRank, ...shape } = NORM;
      const win = await comm.allocWindow(f32, comm.nRanks * tokensPerRank * shape.hidden);
      const devComm = await comm.createDevComm({ lsaBarrierCount: tokensPerRank });
      return async () => comm.launch(rmsNormLsa, { grid: tokensPerRank, block: 256 }, { win, ...shape, comm: devComm });
    },
  },
  {
    name: '05-rmsnorm-push',
    prepare: async (comm) => {
      const { tokensPerRank, ...shape } = NORM;
      const tokens = comm.nRanks * tokensPerRank;
      const data = await comm.allocWindow(f32, tokens * shape.hidden);
      // A row has a word of 4 floats for each thread.
      const block = shape.hidden / 4;
      const requirement = rowExchangeRequirement({ ctas: tokensPerRank, turnWords: block }, comm.lsaSize);
      const devComm = await comm.createDevComm({ resourceRequirementsList: [requirement] });
      const words = devComm.plan.resources[0]?.bufHandle;
      if (words === undefined) throw new RangeError('The device communicator lacks its resource.');
      const exchange = { words, turnWords: block };
      const args = { data: data.symPtr(), tokens, ...shape, exchange, comm: devComm };
      return async () => comm.launch(rmsNormPush, { grid: tokensPerRank, block }, args);
    },
  },
  {
    name: '07-alltoall-lsa-simple',
    prepare: async (comm) => {
      const words = 4 * LINES * comm.nRanks;
      const send = await comm.allocWindow(u32, words);
      const recv = await comm.allocWindow(u32, words);
      const devComm = await comm.createDevComm({ lsaBarrierCount: 8 });
      return async () =>
        comm.launch(allToAllSimple, { grid: 8, block: 256 }, { send, recv, lines: LINES, comm: devComm });
    },
  },
  {
    name: '07-alltoall-lsa-sentinel',
    prepare: async (comm) => {
      const words = 4 * LINES * comm.nRanks;
      const send = await comm.allocWindow(u32, words);
      const first = await comm.allocWindow(u32, words);
      const others = [await comm.allocWindow(u32, words), await comm.allocWindow(u32, words)];
      const buffers = [first, ...others];
      for (const buffer of buffers) await buffer.write(sentinels(words));
      const devComm = await comm.createDevComm({ lsaBarrierCount: 8 });
      const at = (nth: number) => buffers[nth % 3] ?? first;
      return async (nth) => {
        const args = { send, recv: at(nth), clear: at(nth + 2), lines: LINES, meet: nth === 0, comm: devComm };
        return comm.launch(allToAllSentinel, { grid: 8, block: 256 }, args);
      };
    },
  },
];
