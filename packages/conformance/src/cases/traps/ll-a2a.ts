import { devComm, llA2AHandle, team } from '@nccl-ts/devcomm';
import { i32, kernel, u32 } from '@nccl-ts/kernel';
import { llA2A } from '@nccl-ts/ll-a2a';
import type { Case } from '../../case.ts';
import { trapCase } from '../fixture/trap-case.ts';
import { createSlots } from '../ll-a2a/create-slots.ts';

/**
 * A value that one thread sends to itself, so that the epoch follows the rules in the right
 * program.
 */
const sendOne = kernel(
  {
    name: 'sendOneValue',
    use: { llA2A },
    params: { comm: devComm, team, handle: llA2AHandle, block: u32, elt: i32, peer: i32 },
  },
  ({ llA2A, coopCta, threadIdx, assert, u32 }, { comm, team, handle, block, elt, peer }) => {
    const session = llA2A.session(coopCta(), comm, team, handle, block, 4);
    if (threadIdx.x === 0) {
      session.send(peer, elt, u32(77));
      assert(session.recv(u32, elt) === 77, 'the sent values have arrived');
    }
    session.endEpoch(coopCta());
  },
);

const shared = {
  check: 'misuse',
  code: 'NCCLTS_MISUSE',
  requires: { scalars: ['u64'], divergentWaits: true },
  ranks: [1],
  kernels: [sendOne],
} as const;
const shape = { grid: 1, block: 32 };

export const blockPastCount: Case<'traps/ll-a2a/block-past-count'> = trapCase({
  id: 'traps/ll-a2a/block-past-count',
  mirrors: 'ncclLLA2ASession with a block of nBlocks or more',
  ...shared,
  prepare: async (comm) => createSlots(comm, 'lsa', 2, () => 4),
  launch: async (comm, slots, n) => comm.launch(sendOne, shape, { ...slots, block: n, elt: 0, peer: 0 }),
  harmless: () => [0, 1],
  harmful: () => [2, 100],
});

export const valuePastSlots: Case<'traps/ll-a2a/value-past-slots'> = trapCase({
  id: 'traps/ll-a2a/value-past-slots',
  mirrors: 'ncclLLA2ASession::send of a value that has no slot',
  ...shared,
  prepare: async (comm) => createSlots(comm, 'lsa', 2, () => 4),
  launch: async (comm, slots, n) => comm.launch(sendOne, shape, { ...slots, block: 0, elt: n, peer: 0 }),
  harmless: () => [0, 3],
  harmful: () => [4, 1000, -1],
});

export const peerOutsideTeam: Case<'traps/ll-a2a/peer-outside-team'> = trapCase({
  id: 'traps/ll-a2a/peer-outside-team',
  mirrors: 'ncclLLA2ASession::send to a peer outside the team',
  ...shared,
  prepare: async (comm) => createSlots(comm, 'lsa', 1, () => 4),
  launch: async (comm, slots, n) => comm.launch(sendOne, shape, { ...slots, block: 0, elt: 0, peer: n }),
  harmless: () => [0],
  harmful: () => [1, -1],
});
