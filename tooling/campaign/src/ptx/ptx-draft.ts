import type { Kind } from '../kinds.ts';
import type { Random } from '../random.ts';
import type { PieceLanes, PtxPiece } from './ptx-program.ts';

/** One warp, or one thread of a block that is smaller than a warp. */
export interface PtxActor {
  readonly rank: number;
  readonly cta: number;
  readonly warp: number;
}

/** At least two, which may be the same. */
export type PtxActors = readonly [PtxActor, PtxActor, ...PtxActor[]];

/** The choices that hold for a whole program. */
export interface PtxDraft {
  readonly random: Random;
  readonly ranks: number;
  readonly grid: number;
  readonly block: number;
  /** Stored values: always 1, often the same, or each only once. */
  readonly values: 'same' | 'few' | 'unique';
  /** The probability that an order, a scope or a fence is right. */
  readonly care: number;
  /** The data that most accesses use: a base and the offset of its line. */
  readonly data: readonly [Place, ...Place[]];
  /** The last value of the unique ones. */
  last: number;
}

/** A line of 16 bytes. */
export interface Place {
  readonly base: 'M0' | 'M1' | 'M2' | 'S';
  readonly line: number;
}

export type Width = 'u8' | 'u16' | 'u32' | 'u64' | 'v2.u32' | 'v4.u32' | 'v2.u64' | 'v2.u16';

export const widthBytes: Readonly<Record<Width, number>> = {
  u8: 1,
  u16: 2,
  u32: 4,
  u64: 8,
  'v2.u32': 8,
  'v4.u32': 16,
  'v2.u64': 16,
  'v2.u16': 4,
};

export function piece(lines: readonly string[], kinds: readonly Kind[] = [], lanes: PieceLanes = 'first'): PtxPiece {
  return { lanes, kinds, lines };
}

export function valueOf(draft: PtxDraft): number {
  const { random, values } = draft;
  if (values === 'same') return 1;
  if (values === 'few') return 1 + random.below(2);
  draft.last += 1;
  return draft.last + 2;
}

/** A scope that reaches all actors, or, sometimes, too few. */
export function scopeOf({ random, ranks, grid, care }: PtxDraft): string {
  if (!random.chance(care)) return random.pick(['cta', 'gpu', 'sys']);
  if (ranks > 1) return 'sys';
  return grid > 1 ? random.pick(['gpu', 'sys']) : random.pick(['cta', 'gpu', 'sys']);
}

export function spaceOf({ base }: Place): 'shared' | 'global' {
  return base === 'S' ? 'shared' : 'global';
}

export function addressOf({ base, line }: Place, offset = 0): string {
  const at = 16 * line + offset;
  return at === 0 ? `[${base}]` : `[${base}+${at}]`;
}

/** Most often one of the program's data. */
export function placeOf({ random, data, ranks, block, grid }: PtxDraft): Place {
  if (random.chance(0.85)) return random.pick(data);
  if (random.chance(block > 1 || grid * ranks === 1 ? 0.3 : 0.05)) return { base: 'S', line: random.below(2) };
  return { base: random.pick(basesOf(ranks)), line: random.below(6) };
}

export function basesOf(ranks: number): readonly ['M0', ...Place['base'][]] {
  return ranks === 1 ? ['M0'] : ranks === 2 ? ['M0', 'M1'] : ['M0', 'M1', 'M2'];
}

/** Registers of an access of this width, as an operand: `$r1` or `{$r1, $r2}`. */
export function vectorOf(width: Width, element: string): string {
  const count = width.startsWith('v') ? Number(width[1]) : 1;
  return count === 1 ? element : `{${Array.from({ length: count }, () => element).join(', ')}}`;
}

/** Distinct registers for a load. */
export function loadedOf(width: Width): string {
  const bank = width.endsWith('64') ? '$d' : '$r';
  const count = width.startsWith('v') ? Number(width[1]) : 1;
  const names = Array.from({ length: count }, (_, i) => `${bank}${i + 1}`);
  return count === 1 ? `${bank}1` : `{${names.join(', ')}}`;
}

/** Instructions that keep the value of register 1, plus 1, so that 0 is seen as well. */
export function kept(width: Width = 'u32'): readonly string[] {
  const last = Number(width.startsWith('v') ? width[1] : 1);
  if (width.endsWith('64')) {
    return [
      `shr.u64 $d7, $d${last}, 31;`,
      `xor.b64 $d7, $d7, $d1;`,
      'cvt.u32.u64 $r7, $d7;',
      'add.u32 $r7, $r7, 1;',
      'st.global.u32 $K, $r7;',
    ];
  }
  const both = last > 1 ? [`shl.b32 $r8, $r${last}, 8;`, 'xor.b32 $r7, $r8, $r1;'] : ['mov.u32 $r7, $r1;'];
  return [...both, 'add.u32 $r7, $r7, 1;', 'st.global.u32 $K, $r7;'];
}
