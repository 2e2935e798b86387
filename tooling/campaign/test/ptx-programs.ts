import type { PtxPart, PtxPiece, PtxProgram } from '../src/ptx/ptx-program.ts';

/** A program as PTX text on which engines once disagreed, with the rule that it broke. */
export interface KnownPtxFault {
  readonly name: string;
  readonly rule: string;
  readonly program: PtxProgram;
}

const one = {
  language: 'ptx',
  ranks: 1,
  grid: 1,
  block: 1,
  isCleared: true,
  steps: [{ kind: 'launch', kernel: 0, stream: 0 }],
} as const;

function piece(lines: readonly string[], lanes: PtxPiece['lanes'] = 'first'): PtxPiece {
  return { lanes, kinds: [], lines };
}

function warp(number: number, ...pieces: readonly PtxPiece[]): PtxPart {
  return { kind: 'warp', rank: 0, cta: 0, warp: number, pieces };
}

function onRank(rank: number, ...pieces: readonly PtxPiece[]): PtxPart {
  return { kind: 'warp', rank, cta: 0, warp: 0, pieces };
}

const raise = piece(['st.relaxed.gpu.global.u32 [M0+64], 1;']);
const wait = piece(['$L1:', 'ld.volatile.global.u32 $r1, [M0+64];', 'setp.lt.u32 $p1, $r1, 1;', '@$p1 bra $L1;']);

const waitFor = (flag: string): PtxPiece =>
  piece(['$L1:', `ld.acquire.sys.global.u32 $r1, [${flag}];`, 'setp.lt.u32 $p1, $r1, 1;', '@$p1 bra $L1;']);
const launch = { kind: 'launch', kernel: 0, stream: 0 } as const;

export const knownPtxFaults: readonly KnownPtxFault[] = [
  {
    name: 'a store of the same value hid an older racing store of a lane',
    rule: 'default-milder-than-graph',
    program: {
      ...one,
      block: 32,
      kernels: [
        {
          parts: [
            warp(
              0,
              piece(
                [
                  'st.global.u32 [M0], 0;',
                  'setp.ne.u32 $p1, %r4, 31;',
                  '@$p1 bra $L1;',
                  'st.global.u32 [M0], 5;',
                  '$L1:',
                ],
                'warp',
              ),
            ),
          ],
        },
      ],
    },
  },
  {
    name: 'a load after a flag was taken for one before it',
    rule: 'default-milder-than-graph',
    program: {
      ...one,
      block: 2,
      kernels: [
        {
          parts: [
            warp(0, raise, piece(['ld.global.u32 $r1, [M0];'])),
            warp(1, wait, piece(['fence.acq_rel.gpu;']), piece(['st.global.u32 [M0], 10;'])),
          ],
        },
      ],
    },
  },
  {
    name: 'a host clears a flag that a peer may have raised before',
    rule: 'proven-race-milder-than-graph',
    program: {
      ...one,
      ranks: 3,
      steps: [{ kind: 'write', word: 5, value: 0 }, launch, { kind: 'synchronize', stream: 0 }],
      kernels: [
        {
          parts: [onRank(1, piece(['atom.release.sys.global.exch.b32 $r1, [M2+80], 1;'])), onRank(0, waitFor('M2+80'))],
        },
      ],
    },
  },
  {
    name: 'two stores of one value before a wait that never ends',
    rule: 'severer-than-graph',
    program: {
      ...one,
      ranks: 2,
      kernels: [
        {
          parts: [
            onRank(0, piece(['st.global.u32 [M0], 1;']), waitFor('M0+80')),
            onRank(1, piece(['st.global.u32 [M0], 1;'])),
          ],
        },
      ],
    },
  },
];
