import type { FileWords, TextGroup } from './repository-texts.ts';

export interface Drawn {
  readonly file: string;
  readonly line: number;
  readonly source: TextGroup;
  readonly text: string;
}

const sources = ['document', 'help', 'message', 'tsdoc', 'title'] as const satisfies readonly TextGroup[];

/**
 * Draws random sentences, with the same number from each group of texts. The same seed and texts
 * give the same sentences. Comments inside code are excluded.
 */
export function sampleSentences(texts: readonly FileWords[], seed: number, count: number): readonly Drawn[] {
  const next = random(seed);
  const all = texts.flatMap(({ file, sentences }) =>
    sentences.map(({ line, text, source }) => ({ file, line, source, text })),
  );
  return sources.flatMap((source, index) => {
    const left = all.filter((one) => one.source === source);
    const wanted = Math.floor((count * (index + 1)) / sources.length) - Math.floor((count * index) / sources.length);
    return Array.from({ length: Math.min(wanted, left.length) }, () => left.splice(next(left.length), 1)).flat();
  });
}

/** Random numbers from 0 to below a bound, by mulberry32. */
function random(seed: number): (bound: number) => number {
  let state = seed >>> 0;
  return (bound) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  };
}
