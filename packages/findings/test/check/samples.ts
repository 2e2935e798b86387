import { NcclError } from '@nccl-ts/core';
import type { Finding, FindingKind } from '@nccl-ts/findings';
import { label, load, place, placeInBarrier, race, schedule, store, sync } from './sample.ts';

const common = { severity: 'error', labels: [], missing: [], certainty: 'this schedule', schedule } as const;

/** A finding of each kind, as the checker reports it. */
export const samples: Readonly<Record<FindingKind, Finding>> = {
  race: race(3, 5),
  uninitialised: {
    ...common,
    kind: 'uninitialised',
    message: 'memory is read that was never written',
    labels: [label('load', place(load))],
    bytes: { place: { kind: 'array', space: 'shared', offset: 12 }, bytes: 1 },
    certainty: 'every schedule',
  },
  proxy: {
    ...common,
    kind: 'proxy',
    severity: 'model',
    message: 'bytes are stored through a multicast address and loaded by their own',
    labels: [label('load', place(load)), label('multimem store', place(store), { launch: 1 })],
    bytes: { place: { kind: 'unknown', address: 4096 }, bytes: 16 },
    missing: [{ kind: 'proxy-fence', message: "put fenceProxy('alias') between the two" }],
  },
  'out-of-bounds': {
    ...common,
    kind: 'out-of-bounds',
    message: 'store of 4 bytes at byte 4096 of window 0 (4096 bytes)',
    labels: [label('store', place(store), { blockIdx: { x: 1, y: 2, z: 0 } })],
    bytes: { place: { kind: 'window', window: 'window 0', rank: 1, offset: 4096 }, bytes: 4 },
    fault: {
      kind: 'outOfBounds',
      kernel: 'shift',
      launch: 0,
      rank: 0,
      blockIdx: { x: 1, y: 2, z: 0 },
      thread: 0,
      what: 'store',
      place: place(store),
      access: {
        bytes: 4,
        space: 'global',
        offset: 4096,
        window: { name: 'window 0', bytes: 4096, rank: 1 },
        lands: "byte 0 of window 1, rank 1's copy",
      },
    },
  },
  misuse: {
    ...common,
    kind: 'misuse',
    message: 'a signal is incremented here and added to elsewhere, with no reset between',
    labels: [
      label('put writes', place(store), { agent: 'network', rank: 2, thread: 31 }),
      label('signal add', place(sync), { kernel: 'settle' }),
      label('host read', undefined, { agent: 'host', rank: 3 }),
    ],
    bytes: {
      place: {
        kind: 'gin',
        window: 'GIN state 0',
        rank: 1,
        offset: 24,
        word: { kind: 'signal', context: 2, index: 3 },
      },
      bytes: 8,
    },
    schedule: { strategy: 'pct', seed: 3, choices: '0.1.1.2' },
  },
  fault: {
    ...common,
    kind: 'fault',
    message: 'an assertion failed',
    fault: {
      kind: 'assert',
      kernel: 'shift',
      launch: 0,
      rank: 1,
      blockIdx: { x: 0, y: 0, z: 0 },
      thread: 3,
      what: 'assert',
      place: place(sync),
      message: 'never',
    },
  },
  deadlock: {
    ...common,
    kind: 'deadlock',
    message: 'nothing can go on',
    certainty: 'every schedule',
    deadlock: {
      waiting: [
        {
          kernel: 'shift',
          launch: 0,
          rank: 0,
          cta: 0,
          threads: [0, 1],
          kind: 'wait',
          place: placeInBarrier(),
          words: [
            {
              place: {
                kind: 'gin',
                window: 'GIN state 0',
                rank: 0,
                offset: 0,
                word: { kind: 'signal', context: 0, index: 1 },
              },
              type: 'u64',
              value: 9007199254740993n,
            },
          ],
          needed: '>= 9007199254740994',
        },
      ],
      unstarted: [],
      queued: [],
      missing: [
        {
          rank: 1,
          reason: 'failed',
          kernel: 'shift',
          host: 'done',
          awaitedBy: [0],
          failure: new NcclError('NCCLTS_FAULT', 'assertion failed: never'),
        },
      ],
    },
  },
  leftover: {
    ...common,
    kind: 'leftover',
    severity: 'note',
    message: 'a signal is set at the end that nobody has waited for',
    bytes: {
      place: {
        kind: 'lsaInbox',
        window: 'the resource window of device communicator 0',
        rank: 2,
        offset: 48,
        barriers: 'lsaBarrier',
        index: 1,
        peer: 3,
        peerRank: 3,
      },
      bytes: 4,
    },
  },
  incomplete: {
    ...common,
    kind: 'incomplete',
    severity: 'note',
    message: 'more than 1,000,000 states',
  },
};
