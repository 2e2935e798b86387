import type { AtomicAccess } from '@nccl-ts/ir';
import type { PtxInstruction, PtxStateSpace, PtxType } from '../syntax/module.ts';
import { isPtxType, orderOf, scopeOf, spaceOf, typesOf, widthOf } from './instruction-parts.ts';

/** What the words of `ld` or `st` say, or the word that says what neither takes. */
export type AccessWords =
  | {
      readonly space: PtxStateSpace | undefined;
      readonly type: PtxType;
      readonly width: number;
      /** Absent: weak. */
      readonly access?: AtomicAccess;
    }
  | { readonly unknown: string };

const plainWords: ReadonlySet<string> = new Set([
  'weak',
  'volatile',
  'relaxed',
  'acquire',
  'release',
  'mmio',
  'cta',
  'cluster',
  'gpu',
  'sys',
  'nc',
  'unified',
  'v2',
  'v4',
  'v8',
]);

/** How long lines stay in caches, and which cache: nothing that a value depends on. */
const cacheWords: ReadonlySet<string> = new Set(['ca', 'cg', 'cs', 'lu', 'cv', 'wb', 'wt']);

const spaceWords: ReadonlySet<string> = new Set([
  'global',
  'const',
  'local',
  'shared',
  'shared::cta',
  'shared::cluster',
  'param',
  'param::entry',
  'param::func',
]);

/** Reads the words of a load or a store, in whatever order they stand. */
export function accessWords(instruction: PtxInstruction): AccessWords {
  const [, ...modifiers] = instruction.words;
  const unknown = modifiers.find(
    (one) =>
      !plainWords.has(one) &&
      !cacheWords.has(one) &&
      !spaceWords.has(one) &&
      !isPtxType(one) &&
      !one.startsWith('L1::') &&
      !one.startsWith('L2::'),
  );
  if (unknown !== undefined) return { unknown };
  const [type] = typesOf(instruction);
  if (type === undefined) return { unknown: modifiers.at(-1) ?? '' };
  const access = accessOf(instruction);
  return {
    space: spaceOf(instruction),
    type,
    width: widthOf(instruction),
    ...(access === undefined ? {} : { access }),
  };
}

function accessOf(instruction: PtxInstruction): AtomicAccess | undefined {
  // PTX ISA: a volatile access has the semantics of a relaxed one at system scope.
  if (instruction.words.includes('volatile')) return { order: 'relaxed', scope: 'system', volatile: true };
  const order = orderOf(instruction);
  return order === undefined ? undefined : { order, scope: scopeOf(instruction) ?? 'system' };
}
