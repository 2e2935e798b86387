import { cft, logicalEndpoint } from '@nccl-ts/cft';
import {
  getCftDeviceLeInfo,
  getMultimemDeviceLeInfo,
  getPeerDeviceLeInfo,
  type DevComm,
  type Window,
} from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import { bool, kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { createTeam } from '@nccl-ts/topology';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';
import { trapCase } from '../fixture/trap-case.ts';
import { fabricRequires, wordOf } from './words.ts';

const words = 8;
const use = { cft, lsa };

/** One thread puts to an endpoint that its host found, or to a multicast one. */
const put = kernel(
  {
    name: 'fabricHostPut',
    use,
    params: { comm: devComm, win: window, out: window, le: logicalEndpoint, multicast: bool },
  },
  ({ cft, lsa, coopThread, sharedArray, u32, u64 }, { comm, win, out, le, multicast }) => {
    const smem = sharedArray(u64, 2);
    const part = sharedArray(u32, 8);
    const fabric = cft.session(coopThread(), smem);
    const bar = lsa.barrierSession(coopThread(), comm, 0);
    for (let i = u32(0); i < 8; i++) part.store(i, u32(comm.rank) * 1000 + i);
    cft.memFence(coopThread(), 'release', 'generic', 'fabric', 'block');
    if (multicast) fabric.putMultimem(coopThread(), le.leId, le.leOffset, part, 32);
    else fabric.put(coopThread(), le.leId, le.leOffset, part, 32);
    fabric.submit(coopThread());
    fabric.flush(coopThread());
    cft.memFence(coopThread(), 'release', 'fabric', 'generic', 'system');
    bar.sync(coopThread(), 'acq_rel');
    cft.memFence(coopThread(), 'acquire', 'fabric', 'generic', 'system');
    const from = lsa.localPointer(win, u32, 0);
    for (let i = u32(0); i < comm.lsaSize * 8; i++) lsa.localPointer(out, u32, 0).store(i, from.load(i));
  },
);

const single = { grid: 1, block: 1 } as const;

export const fabricHostUnicast: Case<'fabric/hosts/unicast'> = defineCase({
  id: 'fabric/hosts/unicast',
  mirrors:
    'ncclGetCftDeviceLeInfo and ncclGetPeerDeviceLeInfo: a host passes an endpoint to a kernel, which puts there',
  requires: fabricRequires,
  ranks: [2, 4],
  kernels: [put],
  run: async ({ run, shape: { ranks } }) => {
    await run(async (comm) => {
      const win = await comm.allocWindow('u32', words * ranks);
      const out = await comm.allocWindow('u32', words * ranks);
      const dev = await comm.createDevComm({ cftCaps: 'cft', lsaBarrierCount: 2 });
      const next = (comm.rank + 1) % ranks;
      const from = (comm.rank + ranks - 1) % ranks;
      const offset = comm.rank * words * 4;
      const byTeam = getCftDeviceLeInfo(win, offset, next, createTeam(ranks, comm.rank, 1));
      const byRank = getPeerDeviceLeInfo(win, offset, next);
      expectValues(
        'the endpoint of a member of the team and of its rank',
        [byTeam.leId, byTeam.leOffset],
        [byRank.leId, byRank.leOffset],
      );
      await meet(comm);
      await comm.launch(put, single, { comm: dev, win, out, le: byTeam, multicast: false });
      const sent = (i: number): number => (Math.floor(i / words) === from ? wordOf(from, i % words) : 0);
      expectValues(`rank ${comm.rank}`, await out.read(), count(words * ranks).map(sent));
      await meet(comm);
    });
  },
});

export const fabricHostMulticast: Case<'fabric/hosts/multicast'> = defineCase({
  id: 'fabric/hosts/multicast',
  mirrors: 'ncclGetMultimemDeviceLeInfo: the same for a multicast endpoint',
  requires: { ...fabricRequires, multimem: true },
  ranks: [2, 4],
  lsaSizes: [2],
  kernels: [put],
  run: async ({ run, shape: { lsaSize } }) => {
    await run(async (comm) => {
      const win = await comm.allocWindow('u32', words * lsaSize);
      const out = await comm.allocWindow('u32', words * lsaSize);
      const dev = await comm.createDevComm({ cftCaps: 'cftMultimem', lsaBarrierCount: 1 });
      const le = getMultimemDeviceLeInfo(win, comm.lsaRank * words * 4);
      await comm.launch(put, single, { comm: dev, win, out, le, multicast: true });
      const first = comm.rank - comm.lsaRank;
      const sent = (i: number): number => wordOf(first + Math.floor(i / words), i % words);
      expectValues(`rank ${comm.rank}`, await out.read(), count(words * lsaSize).map(sent));
      await meet(comm);
    });
  },
});

interface EndpointObjects {
  readonly dev: DevComm;
  readonly win: Window<'u32'>;
}

/** One thread puts to an endpoint, and waits for no other rank. */
const putAlone = kernel(
  { name: 'fabricHostPutAlone', use, params: { le: logicalEndpoint, multicast: bool } },
  ({ cft, coopThread, sharedArray, u32, u64 }, { le, multicast }) => {
    const part = sharedArray(u32, 8);
    const fabric = cft.session(coopThread(), sharedArray(u64, 2));
    for (let i = u32(0); i < 8; i++) part.store(i, i);
    cft.memFence(coopThread(), 'release', 'generic', 'fabric', 'block');
    if (multicast) fabric.putMultimem(coopThread(), le.leId, le.leOffset, part, 32);
    else fabric.put(coopThread(), le.leId, le.leOffset, part, 32);
    fabric.submit(coopThread());
    fabric.flush(coopThread());
  },
);

const prepare = async (comm: Parameters<typeof meet>[0]): Promise<EndpointObjects> => ({
  win: await comm.allocWindow('u32', 2 * words),
  dev: await comm.createDevComm({ cftCaps: 'cftMultimem' }),
});

export const hostEndpointKind: Case<'fabric/traps/host-endpoint-kind'> = trapCase({
  id: 'fabric/traps/host-endpoint-kind',
  mirrors: 'ncclCft::put of a multicast endpoint from the host, or putMultimem of a unicast one',
  check: 'misuse',
  code: 'NCCLTS_MISUSE',
  requires: { ...fabricRequires, multimem: true },
  ranks: [1, 2],
  kernels: [putAlone],
  prepare,
  // Bit 0 selects a multicast endpoint, bit 1 a multicast operation.
  launch: async (comm, { win }, n) => {
    // Each kind has its own bytes, because the launches have no fence between their proxies.
    const le = n % 2 === 0 ? getPeerDeviceLeInfo(win, 0, comm.rank) : getMultimemDeviceLeInfo(win, words * 4);
    await comm.launch(putAlone, single, { le, multicast: n >= 2 });
  },
  harmless: () => [0, 3],
  harmful: () => [1, 2],
});

export const hostEndpointOffset: Case<'fabric/traps/host-endpoint-offset'> = trapCase({
  id: 'fabric/traps/host-endpoint-offset',
  mirrors: 'an offset from ncclGetPeerDeviceLeInfo to which a kernel adds more than the window has',
  check: 'bounds',
  code: 'NCCLTS_OUT_OF_BOUNDS',
  requires: fabricRequires,
  ranks: [2],
  kernels: [putAlone],
  prepare: async (comm) => ({
    win: await comm.allocWindow('u32', words),
    dev: await comm.createDevComm({ cftCaps: 'cft' }),
  }),
  launch: async (comm, { win }, n) => {
    const { leId, leOffset } = getPeerDeviceLeInfo(win, 0, 1 - comm.rank);
    await comm.launch(putAlone, single, { le: { leId, leOffset: leOffset + n }, multicast: false });
  },
  harmless: () => [0],
  harmful: () => [16, 32, 4096],
});
