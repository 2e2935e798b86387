import { devCommFields } from '@nccl-ts/devcomm';
import type { ScalarKind } from '@nccl-ts/core';
import type { Module, Type } from '@nccl-ts/ir';
import type { RecordParam } from '../wgsl-source.ts';
import { valueWords } from './value-type.ts';

type HeaderWord =
  | 'zero'
  | 'nullLow'
  | 'nullHigh'
  | 'ctas'
  | 'gridX'
  | 'gridY'
  | 'gridZ'
  | 'counters'
  | 'threads'
  | 'arrays'
  | 'status'
  | 'rank';

/** The words at the head of every launch record, by number. */
export const header: Readonly<Record<HeaderWord, number>> = Object.freeze({
  /** 0, hidden from the compiler. */
  zero: 0,
  /** The bounds of the null pointer's region. */
  nullLow: 1,
  nullHigh: 2,
  ctas: 3,
  gridX: 4,
  gridY: 5,
  gridZ: 6,
  /** Index of the first CTA's program counter in the state buffer. */
  counters: 7,
  /** Index of the threads' kept words in the state buffer. */
  threads: 8,
  /** Index of the CTAs' kept arrays in the state buffer. */
  arrays: 9,
  /** Index of the launch's words in the status buffer. */
  status: 10,
  rank: 11,
});

/** Words of the head. The addresses at which the caller's buffers begin follow it. */
export const headerWords = 12;

/**
 * A window: lsaRank, worldRank, then the bounds of the copy of each rank of the load-store domain.
 */
export const windowHead: Readonly<Record<'lsaRank' | 'worldRank' | 'bounds', number>> = Object.freeze({
  lsaRank: 0,
  worldRank: 1,
  bounds: 2,
});

export function windowWords(lsaSize: number): number {
  return windowHead.bounds + 2 * lsaSize;
}

/** The fields of a device communicator in their order in a record, and where each begins. */
export const devCommLayout: ReadonlyMap<string, { readonly at: number; readonly kind: ScalarKind }> = layOut();
/** The words of a device communicator before its resource window. */
export const devCommHeadWords: number = [...devCommLayout.values()].reduce((sum, { kind }) => sum + wordsOf(kind), 0);

function layOut(): ReadonlyMap<string, { readonly at: number; readonly kind: ScalarKind }> {
  let at = 0;
  return new Map(
    Object.entries(devCommFields).map(([name, kind]) => {
      const entry = { at, kind };
      at += wordsOf(kind);
      return [name, entry] as const;
    }),
  );
}

function wordsOf(kind: ScalarKind): number {
  return kind === 'addr' ? 2 : 1;
}

/** A pointer parameter: its address, and its bounds. */
export const pointerWords = 3;

export interface RecordLayout {
  readonly params: readonly RecordParam[];
  readonly words: number;
}

/**
 * Lays out the record of launches of `module`; a multiple of 64 words, so that a buffer binding may
 * begin at each.
 */
export function layOutRecord(module: Module, lsaSize: number, segments: number): RecordLayout {
  let at = headerWords + segments;
  const params = module.params.map(({ type }): RecordParam => {
    const here = at;
    at += paramWords(type, lsaSize);
    return { type, at: here };
  });
  return { params, words: Math.ceil(at / 64) * 64 };
}

function paramWords(type: Type, lsaSize: number): number {
  switch (type.kind) {
    case 'scalar':
    case 'vector':
      return valueWords(type);
    case 'pointer':
      return pointerWords;
    case 'handle':
      return type.name === 'DevComm' ? devCommHeadWords + windowWords(lsaSize) : windowWords(lsaSize);
  }
}
