import type { AtomicAccess } from '@nccl-ts/ir';
import type { PtxInstruction, PtxType } from '../syntax/module.ts';
import {
  accessOf,
  accessSpaceOf,
  isPtxType,
  orderOf,
  scopeWords,
  typesOf,
  widthOf,
  type AccessSpace,
} from './instruction-parts.ts';

/**
 * The meaning of the modifiers of `ld` or `st`, an unknown modifier, or the rest of a sentence that
 * begins with the instruction and says why the modifiers do not fit together.
 */
export type AccessWords =
  | {
      readonly space: AccessSpace | undefined;
      readonly type: PtxType;
      readonly width: number;
      /** Absent: weak. */
      readonly access?: AtomicAccess;
    }
  | { readonly unknown: string }
  | { readonly misfit: string };

const plainWords: ReadonlySet<string> = new Set([
  'weak',
  'volatile',
  'relaxed',
  'acquire',
  'release',
  'mmio',
  ...scopeWords,
  'nc',
  'unified',
  'v2',
  'v4',
  'v8',
]);

/** Modifiers about caching, which affect no value. */
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

/** Reads the modifiers of a load or a store, in any order. */
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
  if (type === undefined) return { misfit: 'needs a type, such as .u32' };
  const misfit = misfitOf(instruction);
  if (misfit !== undefined) return { misfit };
  const access = accessOfMove(instruction);
  return {
    space: accessSpaceOf(instruction),
    type,
    width: widthOf(instruction),
    ...(access === undefined ? {} : { access }),
  };
}

const strong: readonly string[] = ['relaxed', 'acquire', 'release'];

/** Modifiers of which an access has at most one. */
const oneOf: readonly (readonly string[])[] = [
  ['weak', 'volatile', ...strong],
  scopeWords,
  [...spaceWords],
  ['v2', 'v4', 'v8'],
];

/** Returns the end of a sentence that says why the modifiers contradict each other. */
function misfitOf({ words: [opcode, ...modifiers] }: PtxInstruction): string | undefined {
  const refused = modifiers.find((one) => one === (opcode === 'st' ? 'acquire' : 'release'));
  if (refused !== undefined) return `is a ${opcode === 'st' ? 'store' : 'load'}, which cannot be .${refused}`;
  if (opcode === 'st' && modifiers.includes('nc')) return 'is a store, which cannot be .nc';
  const types = modifiers.filter((one) => isPtxType(one));
  for (const found of [types, ...oneOf.map((group) => modifiers.filter((one) => group.includes(one)))]) {
    if (found.length > 1) return `takes only one of .${found.join(' and .')}`;
  }
  const order = modifiers.find((one) => strong.includes(one));
  const scope = modifiers.find((one) => scopeWords.includes(one));
  if (order !== undefined && modifiers.includes('nc')) return `cannot be both .nc and .${order}`;
  if (order === undefined && scope !== undefined) return `needs an order before .${scope}, such as .relaxed`;
  return order !== undefined && scope === undefined ? `needs a scope after .${order}, such as .gpu` : undefined;
}

/** The order of a load or a store. `undefined` if it is weak. */
function accessOfMove(instruction: PtxInstruction): AtomicAccess | undefined {
  // PTX ISA: a volatile access has the semantics of a relaxed one at system scope.
  if (instruction.words.includes('volatile')) return { order: 'relaxed', scope: 'system', volatile: true };
  return orderOf(instruction) === undefined ? undefined : accessOf(instruction, 'relaxed', 'system');
}
