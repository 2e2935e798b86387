import {
  atomicOrdering,
  fenceOrdering,
  loadOrdering,
  locationOf,
  storeOrdering,
  wordOf,
  type Draft,
  type ThreadCoordinates,
} from './draft.ts';
import type { NetworkStatement, SignalAction, Statement } from './program.ts';

/** The frequency of each kind of statement. */
export type Mix = Readonly<Record<'store' | 'load' | 'atomic' | 'fence' | 'wait' | 'array' | 'network', number>>;

/** A random statement. */
export function randomStatement(draft: Draft, mix: Mix, thread: ThreadCoordinates, depth = 0): Statement {
  const { random, ordered } = draft;
  switch (random.weighted(mix)) {
    case 'store': {
      const ordering = random.chance(ordered) ? { ordering: storeOrdering(draft) } : {};
      const value = random.chance(0.15) ? 'seen' : random.pick([1, 1, 2]);
      return { kind: 'store', at: locationOf(draft), value, ...ordering };
    }
    case 'load': {
      const ordering = random.chance(ordered) ? { ordering: loadOrdering(draft) } : {};
      const equals = random.pick([0, 1, 1, 2]);
      const then =
        depth === 0 && random.chance(0.25)
          ? { then: { equals, body: [randomStatement(draft, mix, thread, depth + 1)] } }
          : {};
      return { kind: 'load', at: locationOf(draft), keep: random.chance(0.6), ...ordering, ...then };
    }
    case 'atomic':
      return {
        kind: 'atomic',
        update: random.pick(['Add', 'Add', 'Exch', 'Cas', 'Cas', 'Or', 'Max']),
        at: wordOf(draft),
        value: random.pick([1, 1, 2]),
        expected: random.pick([0, 1]),
        ordering: atomicOrdering(draft),
        keep: random.chance(0.5),
      };
    case 'fence':
      return { kind: 'fence', ordering: fenceOrdering(draft) };
    case 'wait': {
      const [until, value] = random.pick<readonly ['>=' | '===' | '!==', number]>([
        ['>=', 1],
        ['>=', 1],
        ['===', 1],
        ['===', 2],
        ['!==', 0],
        ['>=', 2],
      ]);
      const ordering = random.chance(Math.max(ordered, 0.9)) ? { ordering: loadOrdering(draft) } : {};
      return { kind: 'wait', at: wordOf(draft), until, value, ...ordering };
    }
    case 'array': {
      const at = { home: 'array', word: random.below(2), bytes: 4 } as const;
      const scope = 'block' as const;
      if (random.chance(0.5)) {
        const ordering = random.chance(0.4) ? { ordering: { ...storeOrdering(draft), scope } } : {};
        return { kind: 'store', at, value: 1, ...ordering };
      }
      const ordering = random.chance(0.4) ? { ordering: { ...loadOrdering(draft), scope } } : {};
      return { kind: 'load', at, keep: random.chance(0.5), ...ordering };
    }
    case 'network':
      return networkStatement(draft, thread);
  }
}

function networkStatement({ random, ranks, words }: Draft, { rank }: ThreadCoordinates): NetworkStatement {
  const context = random.chance(0.8) ? 0 : 1;
  const peer = random.chance(0.9) ? (rank + 1) % ranks : random.below(ranks);
  const signal: SignalAction = random.pick(['weakSignalInc', 'strongSignalInc', 'strongSignalInc']);
  const reported: { readonly signal?: SignalAction } = random.chance(0.6) ? { signal } : {};
  switch (random.weighted({ put: 6, putValue: 2, get: 1, signal: 3, waitSignal: 6, waitCounter: 1, flush: 3 })) {
    case 'put': {
      const to = random.below(words);
      const from = random.below(words);
      return { kind: 'put', context, peer, to, from, counter: random.chance(0.25), ...reported };
    }
    case 'putValue':
      return { kind: 'putValue', context, peer, to: random.below(words), value: 1, ...reported };
    case 'get':
      return { kind: 'get', context, peer, from: random.below(words), to: random.below(words) };
    case 'signal':
      return { kind: 'signal', context, peer, signal };
    case 'waitSignal': {
      const order = random.pick([undefined, undefined, 'relaxed', 'acquire'] as const);
      const least = random.pick([1, 1, 1, 2]);
      return { kind: 'waitSignal', context, least, ...(order === undefined ? {} : { order }) };
    }
    case 'waitCounter':
      return { kind: 'waitCounter', context, least: 1 };
    case 'flush':
      return { kind: 'flush', context };
  }
}
