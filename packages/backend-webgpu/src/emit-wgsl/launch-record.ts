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

/** The words at the head of every launch record, by index. */
export const header: Readonly<Record<HeaderWord, number>> = Object.freeze({
  /** A 0 that the compiler cannot see. */
  zero: 0,
  /** The bounds of the null pointer's region. */
  nullLow: 1,
  nullHigh: 2,
  ctas: 3,
  gridX: 4,
  gridY: 5,
  gridZ: 6,
  /** The index of the first CTA's program counter in the state buffer. */
  counters: 7,
  /** The index of the threads' stored words in the state buffer. */
  threads: 8,
  /** The index of the CTAs' stored arrays in the state buffer. */
  arrays: 9,
  /** The index of the launch's words in the status buffer. */
  status: 10,
  rank: 11,
});

/** The number of words in the head. The addresses at which the caller's buffers begin follow it. */
export const headerWords = 12;

/**
 * A window: lsaRank, worldRank, and then the bounds of the copy of each rank of the load-store
 * domain.
 */
export const windowHead: Readonly<Record<'lsaRank' | 'worldRank' | 'bounds', number>> = Object.freeze({
  lsaRank: 0,
  worldRank: 1,
  bounds: 2,
});

export function windowWords(lsaSize: number): number {
  return windowHead.bounds + 2 * lsaSize;
}

/** The fields of a device communicator, in their order in a record, with the position of each. */
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
 * Computes the layout of the record for launches of `module`. Its size is a multiple of 64 words,
 * so that a buffer binding may begin at each record.
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
