import { wordTable } from '@nccl-ts/core';
import type { AccessScope, MemoryOrder } from '@nccl-ts/core';
import type { AtomicAccess } from '@nccl-ts/ir';
import type { PtxInstruction, PtxOperand, PtxStateSpace, PtxType } from '../syntax/module.ts';
import { isPtxType, ptxTypeBytes } from '../syntax/types.ts';

export { isPtxType, ptxTypeBytes as bytesOf };

/** Opcodes that do not set their first operand. */
const withoutResult: ReadonlySet<string> = new Set([
  'st',
  'red',
  'bra',
  'brx',
  'ret',
  'exit',
  'trap',
  'bar',
  'barrier',
  'fence',
  'membar',
  'prefetch',
  'prefetchu',
  'cp',
  'griddepcontrol',
  'nanosleep',
  'discard',
  'applypriority',
  'brkpt',
  'pmevent',
  'setmaxnreg',
]);

/** The operands that an instruction sets. */
export function resultsOf({ words, operands }: PtxInstruction): readonly PtxOperand[] {
  const [opcode] = words;
  const [first] = operands;
  if (first === undefined) return [];
  if (opcode === 'call') return first.kind === 'list' ? [first] : [];
  if ((opcode === 'bar' || opcode === 'barrier') && words.includes('red')) return [first];
  if (opcode === 'mbarrier')
    return ['init', 'inval', 'expect_tx', 'complete_tx'].includes(words[1] ?? '') ? [] : [first];
  if (opcode === 'tcgen05') return words[1] === 'ld' ? [first] : [];
  if (opcode === 'multimem') return words[1] === 'ld_reduce' ? [first] : [];
  return withoutResult.has(opcode) || first.kind === 'address' ? [] : [first];
}

/** The names of the registers in an operand, including those of an address. */
export function registersIn(operand: PtxOperand): readonly string[] {
  switch (operand.kind) {
    case 'register':
      return [operand.name];
    case 'address':
      return [
        ...(operand.base?.kind === 'register' ? [operand.base.name] : []),
        ...(operand.more ?? []).flatMap(registersIn),
      ];
    case 'vector':
    case 'list':
      return operand.elements.flatMap(registersIn);
    case 'pair':
      return [...registersIn(operand.first), ...registersIn(operand.second)];
    case 'integer':
    case 'float':
    case 'symbol':
    case 'sink':
      return [];
  }
}

/** The registers that an instruction sets. */
export function setBy(instruction: PtxInstruction): readonly string[] {
  return resultsOf(instruction).flatMap(registersIn);
}

/** The registers that an instruction reads, including its guard. */
export function readBy(instruction: PtxInstruction): readonly string[] {
  const results = new Set(resultsOf(instruction));
  const read = instruction.operands.filter((operand) => !results.has(operand)).flatMap(registersIn);
  return instruction.guard === undefined ? read : [instruction.guard.register, ...read];
}

/** The types that an instruction names, in its order. */
export function typesOf({ words }: PtxInstruction): readonly PtxType[] {
  return words.filter(isPtxType);
}

/** The state space that an instruction names, or `undefined` if its address is generic. */
export function spaceOf({ words }: PtxInstruction): PtxStateSpace | undefined {
  for (const word of words) {
    const [space] = word.split('::');
    if (space === 'global' || space === 'shared' || space === 'local' || space === 'const' || space === 'param')
      return space;
  }
  return undefined;
}

/**
 * The state space of an access. `cluster` is the shared memory of all CTAs of the cluster, and
 * `shared` that of the thread's own.
 */
export type AccessSpace = PtxStateSpace | 'cluster';

/** The same, with the shared memory of the cluster told apart. */
export function accessSpaceOf(instruction: PtxInstruction): AccessSpace | undefined {
  return instruction.words.includes('shared::cluster') ? 'cluster' : spaceOf(instruction);
}

/** The state spaces of memory that threads share. */
export const sharedSpaceWords: readonly string[] = Object.freeze([
  'global',
  'shared',
  'shared::cta',
  'shared::cluster',
]);

/** The number of elements of a vector access. */
export function widthOf({ words }: PtxInstruction): number {
  for (const word of words) if (word === 'v2' || word === 'v4' || word === 'v8') return Number(word.slice(1));
  return 1;
}

const scopes: Readonly<Record<string, AccessScope>> = wordTable({
  cta: 'block',
  cluster: 'cluster',
  gpu: 'device',
  sys: 'system',
});

/** The modifiers for scopes. */
export const scopeWords: readonly string[] = Object.keys(scopes);

export function scopeOf({ words }: PtxInstruction): AccessScope | undefined {
  for (const word of words) {
    const scope = scopes[word];
    if (scope !== undefined) return scope;
  }
  return undefined;
}

const orders: Readonly<Record<string, MemoryOrder>> = wordTable({
  relaxed: 'relaxed',
  acquire: 'acquire',
  release: 'release',
  acq_rel: 'acq_rel',
  sc: 'seq_cst',
});

export function orderOf({ words }: PtxInstruction): MemoryOrder | undefined {
  for (const word of words) {
    const order = orders[word];
    if (order !== undefined) return order;
  }
  return undefined;
}

/** The order of an instruction, or its default. */
export function accessOf(instruction: PtxInstruction, order: MemoryOrder, scope: AccessScope): AtomicAccess {
  return { order: orderOf(instruction) ?? order, scope: scopeOf(instruction) ?? scope };
}

/** The same for an update, which is relaxed by default. If it names no scope, that is recorded. */
export function updateAccessOf(instruction: PtxInstruction): AtomicAccess {
  const access = accessOf(instruction, 'relaxed', 'device');
  return scopeOf(instruction) === undefined ? { ...access, unscoped: true } : access;
}

/** An instruction without its operands, as in `ld.global.v4.f32`. */
export function mnemonic({ words }: PtxInstruction): string {
  return words.join('.');
}
