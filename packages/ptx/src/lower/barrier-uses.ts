import type { PtxInstruction, PtxItem } from '../syntax/module.ts';

/** How a function uses the 16 barriers of its block. */
export interface BarrierUses {
  /**
   * True if arrivals at barrier `name` must be counted in memory, because some threads may arrive
   * there and continue. Without `name`, the barrier is in a register.
   */
  countsInMemory(name: number | undefined): boolean;
  /**
   * The barriers that registers must not name, because all threads of the block synchronize there.
   */
  readonly ofAll: ReadonlySet<number>;
  /** The number of reductions of the whole block at barrier `name`. */
  reductionsAt(name: number): number;
}

/** Finds the uses of barriers in `items`. */
export function barrierUses(items: readonly PtxItem[]): BarrierUses {
  const arrivals = new Set<number | undefined>();
  const counted = new Set<number | undefined>();
  const ofAll = new Set<number | undefined>();
  const reductions = new Map<number, number>();
  for (const item of items) {
    if (item.kind !== 'instruction' || !isOfBlock(item)) continue;
    const isReduction = item.words.includes('red');
    const [barrier, ...rest] = isReduction ? item.operands.slice(1) : item.operands;
    const name = barrier?.kind === 'integer' ? Number(barrier.value) : undefined;
    if (item.words.includes('arrive')) arrivals.add(name);
    const isOfAll = rest.length === (isReduction ? 1 : 0);
    (isOfAll ? ofAll : counted).add(name);
    if (isReduction && isOfAll && name !== undefined) reductions.set(name, (reductions.get(name) ?? 0) + 1);
  }
  const hasRegisters = counted.has(undefined) || ofAll.has(undefined);
  const apart = new Set<number>();
  if (!ofAll.has(undefined) && !arrivals.has(undefined)) {
    for (const name of ofAll) if (name !== undefined && !counted.has(name)) apart.add(name);
  }
  return {
    countsInMemory: (name) => {
      if (arrivals.size === 0 || (name !== undefined && apart.has(name))) return false;
      return hasRegisters || arrivals.has(name);
    },
    ofAll: apart,
    reductionsAt: (name) => reductions.get(name) ?? 0,
  };
}

function isOfBlock({ words: [opcode, first] }: PtxInstruction): boolean {
  return (opcode === 'bar' || opcode === 'barrier') && first !== 'warp' && first !== 'cluster';
}
