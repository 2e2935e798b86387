import {
  quotedLocation,
  type Finding,
  type FindingLabel,
  type MissingIngredient,
  type ScheduleId,
  type QuotedLocation,
} from '@nccl-ts/findings';
import type { KernelText } from '@nccl-ts/transport';

const author = `import { lsa } from '@nccl-ts/lsa';

export const shift = kernel({ name: 'shift', use: { lsa } }, ({ lsa, blockIdx, threadIdx }, { comm, win }) => {
  const mine = lsa.localPointer(win, f32, 0);
  const next = lsa.pointer(win, f32, 0, (comm.rank + 1) % comm.nRanks);
  next[threadIdx.x] = mine[threadIdx.x + 64]!;
  const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
  bar.sync(coopCta(), 'relaxed');
  mine[threadIdx.x + 128] = mine[threadIdx.x]! + 1;
});`;

const from = author.indexOf('({ lsa, blockIdx');

/**
 * A kernel that was captured from the middle of its author's file, with a device function of
 * another file.
 */
export const shift: KernelText = {
  name: 'shift',
  sources: [
    {
      name: 'shift',
      text: author.slice(from, -2),
      locate: (offset) => at('/home/me/project/kernels/shift me.ts', author, from + offset),
    },
    { name: 'lsa-barrier-session', text: 'function arrive() {\n  atomicStore(inbox, epoch + 1, order);\n}' },
  ],
};

function at(
  file: string,
  text: string,
  offset: number,
): ReturnType<NonNullable<KernelText['sources'][number]['locate']>> {
  const before = text.slice(0, offset).split('\n');
  const line = before.length;
  return { file, line, column: (before.at(-1)?.length ?? 0) + 1, text: text.split('\n')[line - 1] ?? '' };
}

/** The location of a piece of the kernel's text. */
export function place(piece: string): QuotedLocation {
  const found = quotedLocation(shift, span(0, piece));
  if (found === undefined) throw new Error(`no ${piece}`);
  return found;
}

/** The location in the device function, as called by the kernel's barrier. */
export function placeInBarrier(): QuotedLocation {
  const found = quotedLocation(shift, { ...span(1, 'atomicStore(inbox, epoch + 1, order)'), inlinedAt: span(0, sync) });
  if (found === undefined) throw new Error('no barrier');
  return found;
}

export const sync = `bar.sync(coopCta(), 'relaxed')`;
export const store = 'next[threadIdx.x] = mine[threadIdx.x + 64]!';
export const load = 'mine[threadIdx.x]!';

function span(source: number, piece: string): QuotedLocation['span'] {
  const start = shift.sources[source]?.text.indexOf(piece) ?? -1;
  if (start < 0) throw new Error(`no ${piece}`);
  return { source, start, end: start + piece.length };
}

export const schedule: ScheduleId = { strategy: 'random', seed: 7 };

export function label(does: string, at: QuotedLocation | undefined, parts: Partial<FindingLabel> = {}): FindingLabel {
  return {
    agent: 'thread',
    does,
    rank: 0,
    kernel: 'shift',
    launch: 0,
    blockIdx: { x: 0, y: 0, z: 0 },
    thread: 0,
    ...(at === undefined ? {} : { place: at }),
    ...parts,
  };
}

const release: MissingIngredient = {
  kind: 'release',
  message: 'the barrier arrives with order relaxed: it must release at system scope',
  at: label('barrier arrive', placeInBarrier(), { access: { order: 'relaxed', scope: 'system' } }),
};

/**
 * A thread stores to the next rank, whose thread of the same number loads. A relaxed barrier is
 * between them.
 */
export function race(rank: number, thread: number, parts: Partial<Finding> = {}): Finding {
  const next = (rank + 1) % 4;
  return {
    kind: 'race',
    severity: 'error',
    message: 'two threads access the same bytes, one of them writes, and nothing orders them',
    labels: [label('load', place(load), { rank: next, thread }), label('store', place(store), { rank, thread })],
    bytes: { place: { kind: 'window', window: 'window 0', rank: next, offset: 4 * thread }, bytes: 4 },
    missing: [release],
    certainty: 'this schedule',
    schedule,
    ...parts,
  };
}
