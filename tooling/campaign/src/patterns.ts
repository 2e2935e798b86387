import {
  loadOrdering,
  locationOf,
  scopeOf,
  storeOrdering,
  wordOf,
  type Draft,
  type ThreadCoordinates,
} from './draft.ts';
import type { SignalAction, Statement } from './program.ts';

/** The operations of single threads for a pattern. */
export interface Share {
  readonly thread: ThreadCoordinates;
  readonly body: readonly Statement[];
}

/**
 * One thread stores data and sets a flag. Another waits for the flag and uses the data. Each part
 * may be too weak or missing.
 */
export function message(draft: Draft, from: ThreadCoordinates, to: ThreadCoordinates): readonly Share[] {
  const { random, care } = draft;
  const right = (): boolean => random.chance(care);
  const data = locationOf(draft);
  const flag = wordOf(draft, (data.word + 1) % draft.words);
  const byFence = random.chance(0.4);
  const byAtomic = random.chance(0.25);
  const scope = (): ReturnType<typeof scopeOf> => scopeOf(draft);
  const raised = { order: byFence ? 'relaxed' : right() ? 'release' : 'relaxed', scope: scope() } as const;
  const seen = { order: byFence ? 'relaxed' : right() ? 'acquire' : 'relaxed', scope: scope() } as const;
  const raise: Statement = byAtomic
    ? { kind: 'atomic', update: 'Add', at: flag, value: 1, expected: 0, ordering: raised, keep: false }
    : { kind: 'store', at: flag, value: 1, ordering: raised };
  const fence = (order: 'release' | 'acquire'): readonly Statement[] =>
    byFence && right()
      ? [{ kind: 'fence', ordering: { order: random.pick([order, 'acq_rel', 'seq_cst']), scope: scope() } }]
      : [];
  const use: Statement = random.chance(0.7)
    ? { kind: 'load', at: data, keep: true }
    : { kind: 'store', at: data, value: 2 };
  const first: Statement = random.chance(0.8)
    ? { kind: 'store', at: data, value: 1 }
    : { kind: 'load', at: data, keep: true };
  return [
    { thread: from, body: [first, ...fence('release'), raise] },
    {
      thread: to,
      body: [
        { kind: 'wait', at: flag, until: random.pick(['>=', '===']), value: 1, ordering: seen },
        ...fence('acquire'),
        use,
      ],
    },
  ];
}

/**
 * Each of two threads stores to one word and reads the other, perhaps with an operation in between,
 * and accesses plain data.
 */
export function crossing(draft: Draft, one: ThreadCoordinates, other: ThreadCoordinates): readonly Share[] {
  const { random } = draft;
  const [x, y] = [wordOf(draft, 0), wordOf(draft, 1)];
  const data = locationOf(draft, draft.words - 1);
  const between = (): readonly Statement[] =>
    random.chance(0.8) ? [{ kind: 'fence', ordering: { order: 'seq_cst', scope: scopeOf(draft) } }] : [];
  const plain = (): Statement =>
    random.chance(0.5) ? { kind: 'store', at: data, value: 1 } : { kind: 'load', at: data, keep: true };
  const side = (own: typeof x, far: typeof x): readonly Statement[] => [
    ...(random.chance(0.4) ? [plain()] : []),
    ...(random.chance(0.7) ? [{ kind: 'store' as const, at: own, value: 1, ordering: storeOrdering(draft) }] : []),
    ...between(),
    ...(random.chance(0.6)
      ? [{ kind: 'load' as const, at: far, keep: true, ordering: loadOrdering(draft), ...guarded() }]
      : []),
    ...(random.chance(0.4) ? [plain()] : []),
  ];
  const guarded = (): { readonly then?: { readonly equals: number; readonly body: readonly Statement[] } } =>
    random.chance(0.4) ? { then: { equals: random.below(2), body: [plain()] } } : {};
  return [
    { thread: one, body: side(x, y) },
    { thread: other, body: side(y, x) },
  ];
}

/** A put with a signal, and a thread that waits for it. Each part may be missing. */
export function delivery(draft: Draft, from: ThreadCoordinates, to: ThreadCoordinates): readonly Share[] {
  const { random, care, words } = draft;
  const right = (): boolean => random.chance(care);
  const context = random.chance(0.85) ? 0 : 1;
  const word = random.below(words);
  const source = random.below(words);
  const at = (place: number): { readonly home: 'own'; readonly word: number; readonly bytes: 4 } => ({
    home: 'own',
    word: place,
    bytes: 4,
  });
  const signal: SignalAction = random.pick(['weakSignalInc', 'strongSignalInc']);
  const put = { kind: 'put', context, peer: to.rank, to: word, from: source } as const;
  const apart = random.chance(0.3);
  const counter = random.chance(0.2);
  return [
    {
      thread: from,
      body: [
        ...(random.chance(0.6) ? [{ kind: 'store' as const, at: at(source), value: 1 }] : []),
        apart ? { ...put, counter } : { ...put, counter, signal },
        ...(apart && right() ? [{ kind: 'signal' as const, context, peer: to.rank, signal }] : []),
        ...(counter && right() ? [{ kind: 'waitCounter' as const, context, least: 1 }] : []),
        ...(random.chance(0.4) ? [{ kind: 'flush' as const, context }] : []),
        ...(random.chance(0.3) ? [{ kind: 'store' as const, at: at(source), value: 2 }] : []),
      ],
    },
    {
      thread: to,
      body: [
        ...(right() ? [{ kind: 'waitSignal' as const, context: right() ? context : 1 - context, least: 1 }] : []),
        random.chance(0.8) ? { kind: 'load', at: at(word), keep: true } : { kind: 'store', at: at(word), value: 3 },
      ],
    },
  ];
}
