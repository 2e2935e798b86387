import type { CallStatement, Static } from '@nccl-ts/ir';

/** Returns the word that a call passes for `name`. */
export function wordOf(call: CallStatement, name: string): string | undefined {
  for (const entry of call.statics) if (entry.kind === 'word' && entry.name === name) return entry.word;
  return undefined;
}

/** Returns the statics of `call` with another word for `name`. */
export function withWord(call: CallStatement, name: string, word: string): readonly Static[] {
  return Object.freeze(
    call.statics.map((entry) =>
      entry.kind === 'word' && entry.name === name ? Object.freeze({ ...entry, word }) : entry,
    ),
  );
}
