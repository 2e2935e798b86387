import type { PtxInstruction } from '@nccl-ts/ptx';

/** The way in which it synchronizes. */
export type PlaceKind = 'barrier' | 'fence' | 'order';

/** A weaker instruction. */
export interface Weakening {
  /** Such as `removed`, or `acquire -> relaxed`. */
  readonly does: string;
  /** The instruction in place of the other, with its guard. Empty if there is none. */
  readonly text: string;
}

/** A synchronization, and what is weaker. */
export interface Weakened {
  readonly kind: PlaceKind;
  /** Forms to try in its place, the weakest first. Empty if it cannot be judged. */
  readonly weakenings: readonly Weakening[];
  /** Why it cannot be judged. */
  readonly unjudged?: string;
}

const membarScopes: Readonly<Record<string, string>> = { cta: 'cta', gl: 'gpu', sys: 'sys' };

/** The orders that are weaker than one, the weakest first. */
const weakerOrders: ReadonlyMap<string, readonly string[]> = new Map([
  ['release', ['relaxed']],
  ['acquire', ['relaxed']],
  ['acq_rel', ['relaxed', 'acquire', 'release']],
]);

/**
 * The weaker forms of an instruction; `undefined` if it does not synchronize. `text` is that of the
 * instruction. Scopes stay as they are: an access is only morally strong with a partner if both
 * include each other, so that a scope is judged with all its partners or not at all.
 */
export function weakeningsOf({ words }: PtxInstruction, text: string): Weakened | undefined {
  const [opcode, ...modifiers] = words;
  switch (opcode) {
    case 'bar':
    case 'barrier':
      return barrier(modifiers);
    case 'membar': {
      const scope = membarScopes[modifiers[0] ?? ''];
      const weaker = scope === undefined ? [] : [written(text, words, ['fence', 'acq_rel', scope], 'sc -> acq_rel')];
      return fence(...weaker);
    }
    case 'fence':
      return fenceOf(words, modifiers, text);
    case 'ld':
    case 'st':
    case 'atom':
    case 'red':
    case 'multimem':
      return ordered(words, text);
    case 'mbarrier':
      return unjudged('barrier', 'an mbarrier also counts what its copies bring');
    default:
      return undefined;
  }
}

const removed: Weakening = Object.freeze({ does: 'removed', text: '' });

function barrier(modifiers: readonly string[]): Weakened {
  if (modifiers.includes('red')) return unjudged('barrier', 'it also computes a value');
  if (modifiers.includes('arrive') || modifiers.includes('cluster') || modifiers.includes('wait'))
    return unjudged('barrier', 'its two halves belong together');
  return { kind: 'barrier', weakenings: [removed] };
}

function fence(...weaker: readonly Weakening[]): Weakened {
  return { kind: 'fence', weakenings: [removed, ...weaker] };
}

function fenceOf(words: PtxInstruction['words'], modifiers: readonly string[], text: string): Weakened {
  const [first] = modifiers;
  if (first === 'mbarrier_init') return unjudged('fence', 'the translation drops it');
  const weaker = words.map((word) => (word === 'sc' ? 'acq_rel' : word));
  return first === 'sc' ? fence(written(text, words, weaker, 'sc -> acq_rel')) : fence();
}

function ordered(words: PtxInstruction['words'], text: string): Weakened | undefined {
  const order = words.find((word) => weakerOrders.has(word));
  if (order === undefined) return undefined;
  const weaker = weakerOrders.get(order) ?? [];
  const weakenings = weaker.map((one) =>
    written(
      text,
      words,
      words.map((word) => (word === order ? one : word)),
      `${order} -> ${one}`,
    ),
  );
  return { kind: 'order', weakenings };
}

function unjudged(kind: PlaceKind, why: string): Weakened {
  return { kind, weakenings: [], unjudged: why };
}

/** The instruction with other words. */
export function written(text: string, words: readonly string[], others: readonly string[], does: string): Weakening {
  return Object.freeze({ does, text: text.replace(words.join('.'), others.join('.')) });
}
