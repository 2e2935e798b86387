import type { PtxFunction, PtxInstruction } from '@nccl-ts/ptx';
import { deviceCalls } from '../calls/device-calls.ts';
import { AddressFlow } from './address-flow.ts';

/** Memory that an entry reaches through a pointer: in a parameter, or in other such memory. */
export interface ReachedMemory {
  /** The pointer: the parameter by its index, or the memory that contains it. */
  readonly from: number | ReachedMemory;
  /** The offset in bytes of the pointer there: from the start, or from the start of an element. */
  readonly offset: number;
  /**
   * For a pointer that is read by an index: the bytes between two of them, or 0 if that is unknown.
   */
  readonly stride?: number;
  readonly isLoaded: boolean;
  readonly isStored: boolean;
  /** True if it has atomic updates, or loads or stores that are ordered or volatile. */
  readonly isSynchronizing: boolean;
  /** True if `multimem` accesses it. */
  readonly isMulticast: boolean;
  /** True if its address is passed to a function of the stand-in headers. */
  readonly isPassed: boolean;
  /** The types of its accesses, as instructions write them: `f32`, `bf16x2`. */
  readonly types: ReadonlySet<string>;
  /** The integer parameters, by index, of which the index of its pointer is computed. */
  readonly indexedBy: ReadonlySet<number>;
  /** The pointers that it contains, by offset. */
  readonly pointers: readonly ReachedMemory[];
}

const ordered = new Set(['volatile', 'relaxed', 'acquire', 'release', 'acq_rel', 'mmio']);

/**
 * Finds the memory that an entry reaches through its parameters, up to three pointers deep. It
 * follows addresses through registers and local memory, whatever the order of the instructions. So
 * it may find memory that no run reaches.
 */
export function reachedMemory(entry: PtxFunction): readonly ReachedMemory[] {
  const instructions = (entry.body?.items ?? []).flatMap((item): readonly PtxInstruction[] =>
    item.kind === 'instruction' ? [item] : [],
  );
  const flow = new AddressFlow(entry.params, instructions);
  const uses = new Map<string, Use>();
  const useOf = (key: string): Use => {
    const known = uses.get(key);
    if (known !== undefined) return known;
    const made: Use = {
      isLoaded: false,
      isStored: false,
      isSynchronizing: false,
      isMulticast: false,
      isPassed: false,
      types: new Set(),
    };
    uses.set(key, made);
    return made;
  };
  for (const instruction of instructions) {
    const { words, operands } = instruction;
    const [opcode] = words;
    if (opcode === 'st' && words.includes('param')) {
      // Only calls of known functions: others are part of the text, and inlined.
      const passed = operands.slice(1).flatMap((operand) => flow.addressesIn(operand));
      for (const { memory } of passed) if (callsKnown(instructions)) useOf(memory).isPassed = true;
      continue;
    }
    if (!accesses.has(opcode) || words.includes('param') || words.includes('local')) continue;
    for (const [at, operand] of operands.entries()) {
      if (operand.kind !== 'address') continue;
      for (const { memory } of flow.addressesOf(operand)) {
        const use = useOf(memory);
        const isUpdate = opcode === 'atom' || opcode === 'red';
        const isWrite = at === 0 && opcode !== 'ld' && opcode !== 'prefetch';
        if (isUpdate || !isWrite) use.isLoaded = true;
        if (isWrite || isUpdate) use.isStored = true;
        if (isUpdate || words.some((word) => ordered.has(word))) use.isSynchronizing = true;
        if (opcode === 'multimem') use.isMulticast = true;
        use.types.add(words[words.length - 1] ?? '');
      }
    }
  }
  return treeOf(flow, uses);
}

const accesses: ReadonlySet<string> = new Set(['ld', 'ldu', 'st', 'atom', 'red', 'multimem', 'cp', 'prefetch']);

function callsKnown(instructions: readonly PtxInstruction[]): boolean {
  return instructions.some(
    ({ words, operands }) =>
      words[0] === 'call' && operands.some((operand) => operand.kind === 'symbol' && deviceCalls.has(operand.name)),
  );
}

interface Use {
  isLoaded: boolean;
  isStored: boolean;
  isSynchronizing: boolean;
  isMulticast: boolean;
  isPassed: boolean;
  readonly types: Set<string>;
}

/** Builds the tree. Words that are never used as addresses are no pointers, and are left out. */
function treeOf(flow: AddressFlow, uses: ReadonlyMap<string, Use>): readonly ReachedMemory[] {
  const build = (key: string, from: ReachedMemory['from']): ReachedMemory | undefined => {
    const origin = flow.originOf(key);
    const use = uses.get(key);
    if (origin === undefined || use === undefined) return undefined;
    const pointers: ReachedMemory[] = [];
    const { offset, stride } = origin;
    const memory: ReachedMemory = {
      from,
      offset,
      ...(stride === undefined ? {} : { stride }),
      ...use,
      indexedBy: flow.indicesOf(key),
      pointers,
    };
    for (const inner of flow.within(key)) {
      const one = build(inner, memory);
      if (one !== undefined) pointers.push(one);
    }
    return memory;
  };
  return flow.roots().flatMap(({ key, param }) => build(key, param) ?? []);
}
