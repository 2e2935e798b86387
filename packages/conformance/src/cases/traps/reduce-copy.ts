import { devComm, symPtr } from '@nccl-ts/devcomm';
import { bf16, f32, kernel, u32 } from '@nccl-ts/kernel';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import type { Case } from '../../case.ts';
import { trapCase } from '../fixture/trap-case.ts';

const elements = 64;

const sumToOffset = kernel(
  {
    name: 'sumToOffset',
    use: { reduceCopy },
    params: { comm: devComm, at: symPtr(f32), by: u32, count: u32 },
  },
  ({ reduceCopy, coopCta }, { comm, at, by, count }) => {
    reduceCopy.lsaReduceSum(coopCta(), at, at.localPtr().offset(by), count, comm);
  },
);

export const partialOverlap: Case<'traps/reduce-copy/partial-overlap'> = trapCase({
  id: 'traps/reduce-copy/partial-overlap',
  mirrors: 'ncclLsaReduceSum of a source and a destination that overlap in part',
  check: 'misuse',
  code: 'NCCLTS_MISUSE',
  ranks: [1],
  kernels: [sumToOffset],
  prepare: async (comm) => ({ dev: await comm.createDevComm(), win: await comm.allocWindow('f32', 2 * elements) }),
  launch: async (comm, { dev, win }, n) =>
    comm.launch(sumToOffset, { grid: 1, block: 32 }, { comm: dev, at: win.symPtr(0, f32), by: n, count: elements }),
  harmless: () => [0, elements],
  harmful: () => [1, elements - 1],
});

const copyToTwo = kernel(
  {
    name: 'copyToTwo',
    use: { reduceCopy },
    params: { src: symPtr(f32), dst: symPtr(f32), displ: u32, count: u32 },
  },
  ({ reduceCopy, coopCta }, { src, dst, displ, count }) => {
    reduceCopy.localCopy(coopCta(), src.localPtr(), 2, dst.localPtr(), displ, count);
  },
);

export const strideTooSmall: Case<'traps/reduce-copy/stride-too-small'> = trapCase({
  id: 'traps/reduce-copy/stride-too-small',
  mirrors: 'ncclLocalCopy to destinations that overlap',
  check: 'misuse',
  code: 'NCCLTS_MISUSE',
  ranks: [1],
  kernels: [copyToTwo],
  prepare: async (comm) => ({
    from: await comm.allocWindow('f32', elements),
    to: await comm.allocWindow('f32', 3 * elements),
  }),
  launch: async (comm, { from, to }, n) =>
    comm.launch(
      copyToTwo,
      { grid: 1, block: 32 },
      { src: from.symPtr(0, f32), dst: to.symPtr(0, f32), displ: n, count: elements },
    ),
  harmless: () => [elements, 2 * elements],
  harmful: () => [0, elements - 1],
});

const sumPart = kernel(
  {
    name: 'sumPartOfWord',
    use: { reduceCopy },
    params: { comm: devComm, src: symPtr(bf16), dst: symPtr(bf16), count: u32 },
  },
  ({ reduceCopy, coopCta }, { comm, src, dst, count }) => {
    reduceCopy.multimemReduceSum(coopCta(), src, dst.localPtr(), count, comm.lsaMultimem);
  },
);

export const partOfWord: Case<'traps/reduce-copy/part-of-word'> = trapCase({
  id: 'traps/reduce-copy/part-of-word',
  mirrors: 'ncclMultimemReduceSum of an odd number of 16-bit floats',
  check: 'misuse',
  code: 'NCCLTS_MISUSE',
  requires: { multimem: true, scalars: ['bf16', 'u16', 'u64'] },
  ranks: [1],
  kernels: [sumPart],
  prepare: async (comm) => ({
    dev: await comm.createDevComm({ lsaMultimem: true }),
    from: await comm.allocWindow('u32', elements),
    to: await comm.allocWindow('u32', elements),
  }),
  launch: async (comm, { dev, from, to }, n) =>
    comm.launch(
      sumPart,
      { grid: 1, block: 32 },
      { comm: dev, src: from.symPtr(0, bf16), dst: to.symPtr(0, bf16), count: n },
    ),
  harmless: () => [0, 2, elements],
  harmful: () => [1, elements - 1],
});
