import type { MemoryOrder, MemoryProxy } from '@nccl-ts/core';
import type { Draft, ThreadCoordinates } from './draft.ts';
import type { Share } from './patterns.ts';
import type { FabricStatement, Location, Statement } from './program.ts';

/** The words of the shared window: two units for data, and two flags. */
export const FABRIC_PROGRAM_WORDS = 6;

const FIRST_FLAG = 4;

/** One thread puts, and another uses the bytes after a flag. Each step may be missing. */
export function fabricHandover(draft: Draft, from: ThreadCoordinates, to: ThreadCoordinates): readonly Share[] {
  const { random, care } = draft;
  const right = (): boolean => random.chance(care);
  const flag = wordAt(FIRST_FLAG + random.below(2));
  const unit = random.below(2);
  return [
    {
      thread: from,
      body: [
        ...filled(draft),
        { kind: 'fabricPut', peer: to.rank, unit, units: 1, counted: false },
        ...submitted(draft),
        ...reused(draft),
        ...(right() ? [flush] : []),
        ...(right() ? [half(draft, 'release', 'fabric', 'generic')] : []),
        raised(flag, to.rank),
        ...(random.chance(0.9) ? [flush] : []),
      ],
    },
    {
      thread: to,
      body: [waitFor(flag), ...(right() ? [half(draft, 'acquire', 'fabric', 'generic')] : []), use(draft, unit)],
    },
  ];
}

/** One thread makes a counted put, and another uses the bytes after a wait for the counter. */
export function fabricCounted(draft: Draft, from: ThreadCoordinates, to: ThreadCoordinates): readonly Share[] {
  const { random, care } = draft;
  const units = random.pick([1, 1, 1, 2]);
  const unit = units === 2 ? 0 : random.below(2);
  const least = random.chance(care) ? units * 16 : random.pick([16, 8]);
  return [
    {
      thread: from,
      body: [
        ...filled(draft, units),
        { kind: 'fabricPut', peer: to.rank, unit, units, counted: true },
        ...submitted(draft),
        ...reused(draft),
        ...(random.chance(0.95) ? [flush] : []),
      ],
    },
    {
      thread: to,
      body: [
        { kind: 'fabricWait', order: random.chance(care) ? 'acquire' : 'relaxed', least },
        use(draft, units === 2 ? random.below(2) : unit),
      ],
    },
  ];
}

/** One thread stores and sets a flag, and another gets the bytes. */
export function fabricPull(draft: Draft, from: ThreadCoordinates, to: ThreadCoordinates): readonly Share[] {
  const { random, care } = draft;
  const right = (): boolean => random.chance(care);
  const flag = wordAt(FIRST_FLAG + random.below(2));
  const unit = random.below(2);
  return [
    {
      thread: from,
      body: [
        { kind: 'store', at: wordAt(unit * 2 + 1), value: 1 },
        ...(right() ? [half(draft, 'release', 'generic', 'fabric')] : []),
        raised(flag, to.rank),
      ],
    },
    {
      thread: to,
      body: [
        ...filled(draft),
        waitFor(flag),
        ...(right() ? [half(draft, 'acquire', 'generic', 'fabric')] : []),
        { kind: 'fabricGet', peer: from.rank, unit },
        ...submitted(draft),
        ...(right() ? [flush] : []),
        { kind: 'fabricLook', unit: 0 },
        ...(random.chance(0.9) ? [flush] : []),
      ],
    },
  ];
}

const flush: FabricStatement = { kind: 'fabricFlush' };

function filled({ random, care }: Draft, units: 1 | 2 = 1): readonly Statement[] {
  const fence: Statement = {
    kind: 'fabricFence',
    order: 'release',
    producer: 'generic',
    consumer: 'fabric',
    scope: 'block',
  };
  return [{ kind: 'fabricFill', value: random.pick([1, 2]), units }, ...(random.chance(care) ? [fence] : [])];
}

function submitted({ random }: Draft): readonly Statement[] {
  return random.chance(0.97) ? [{ kind: 'fabricSubmit' }] : [];
}

/** The source is overwritten, mostly after a wait for its reads. */
function reused({ random, care }: Draft): readonly Statement[] {
  if (random.chance(0.75)) return [];
  const again: Statement = { kind: 'fabricFill', value: 3, units: 1 };
  return random.chance(care) ? [{ kind: 'fabricFlushSmem' }, again] : [again];
}

function half({ random, care }: Draft, order: MemoryOrder, producer: MemoryProxy, consumer: MemoryProxy): Statement {
  const isRight = random.chance(care);
  return {
    kind: 'fabricFence',
    order: random.pick([order, order, 'acq_rel']),
    producer: isRight ? producer : 'generic',
    consumer: isRight ? consumer : random.pick(['generic', 'fabric']),
    scope: 'system',
  };
}

function raised(flag: Location, rank: number): Statement {
  const ordering = { order: 'release', scope: 'system' } as const;
  return { kind: 'store', at: { ...flag, home: rank }, value: 1, ordering };
}

function waitFor(flag: Location): Statement {
  return { kind: 'wait', at: flag, until: '===', value: 1, ordering: { order: 'acquire', scope: 'system' } };
}

function use({ random }: Draft, unit: number): Statement {
  const at = wordAt(unit * 2 + random.below(2));
  return random.chance(0.8) ? { kind: 'load', at, keep: true } : { kind: 'store', at, value: 4 };
}

function wordAt(word: number): Location {
  return { home: 'own', word, bytes: 4 };
}
