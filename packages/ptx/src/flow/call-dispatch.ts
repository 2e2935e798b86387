import type { PtxInstruction, PtxItem, PtxOperand, PtxType } from '../syntax/module.ts';
import { addressOfFunction } from './function-addresses.ts';

/** The most targets of one jump, so that the branches inside each other stay few. */
const MOST_TARGETS = 64;

/** The jumps of a call by address to the label of its target. */
export interface CallDispatch {
  readonly items: readonly PtxItem[];
  readonly registers: ReadonlyMap<string, PtxType>;
  readonly branchTargets: ReadonlyMap<string, readonly string[]>;
}

/**
 * Makes the jumps to `targets[i]` if the register holds the address of function i, and to `other`
 * if it holds another number. `call` has no guard, and `copy` makes the names unique.
 */
export function callDispatch(
  call: PtxInstruction,
  address: PtxOperand,
  targets: readonly string[],
  other: string,
  copy: number,
): CallDispatch {
  const items: PtxItem[] = [];
  const branchTargets = new Map<string, readonly string[]>();
  const names = { offset: `$offset@${copy}`, index: `$index@${copy}`, known: `$known@${copy}` };
  const [offset, index, known] = [register(names.offset), register(names.index), register(names.known)];
  const emit = (words: PtxInstruction['words'], ...operands: readonly PtxOperand[]): void => {
    items.push({ ...call, words, operands });
  };
  const jump = (by: PtxOperand, name: string, labels: readonly string[]): void => {
    branchTargets.set(name, labels);
    emit(['brx', 'idx'], by, symbol(name));
  };
  emit(['sub', 's64'], offset, address, integer(addressOfFunction(0)));
  // Addresses between two functions are rotated to large numbers, like those below the first one.
  emit(['mov', 'b64'], { kind: 'vector', elements: [register(`$low@${copy}`), register(`$high@${copy}`)] }, offset);
  emit(['shf', 'l', 'wrap', 'b32'], index, register(`$low@${copy}`), register(`$low@${copy}`), integer(28n));
  emit(['setp', 'eq', 'u32'], known, register(`$high@${copy}`), integer(0n));
  emit(['setp', 'lt', 'and', 'u32'], known, index, integer(BigInt(targets.length)), known);
  items.push({
    ...call,
    guard: { register: names.known, isNegated: true },
    words: ['bra'],
    operands: [symbol(other)],
  });
  if (targets.length <= MOST_TARGETS) jump(index, `$targets@${copy}`, targets);
  else {
    const group = register(`$group@${copy}`);
    const groups = Array.from({ length: Math.ceil(targets.length / MOST_TARGETS) }, (_, k) => `$group@${copy}@${k}`);
    emit(['shr', 'u32'], group, index, integer(BigInt(Math.log2(MOST_TARGETS))));
    emit(['and', 'b32'], index, index, integer(BigInt(MOST_TARGETS - 1)));
    jump(group, `$groups@${copy}`, groups);
    groups.forEach((label, k) => {
      items.push({ kind: 'label', name: label, span: call.span });
      jump(index, `$targets@${copy}@${k}`, targets.slice(k * MOST_TARGETS, (k + 1) * MOST_TARGETS));
    });
  }
  return {
    items,
    branchTargets,
    registers: new Map<string, PtxType>([
      [names.offset, 'b64'],
      [names.index, 'u32'],
      [names.known, 'pred'],
      [`$low@${copy}`, 'u32'],
      [`$high@${copy}`, 'u32'],
      [`$group@${copy}`, 'u32'],
    ]),
  };
}

function register(name: string): PtxOperand {
  return { kind: 'register', name, isNegated: false };
}

function symbol(name: string): PtxOperand {
  return { kind: 'symbol', name, offset: 0n };
}

function integer(value: bigint): PtxOperand {
  return { kind: 'integer', value };
}
