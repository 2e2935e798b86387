import type { PtxBody, PtxModule, PtxVariable } from '../syntax/module.ts';
import type { ParamRanges } from './param-ranges.ts';

/** The array that contains all variables of a state space. */
export interface LaidOut {
  /** The byte offset of each variable. */
  readonly offsets: ReadonlyMap<string, number>;
  readonly bytes: number;
  /** The bytes at the end whose number the launch sets. */
  readonly dynamicBytes: number;
}

export interface MemoryLayout {
  readonly shared: LaidOut;
  readonly local: LaidOut;
  /** The variables in global memory, including those of the `.const` space. */
  readonly global: ReadonlyMap<string, PtxVariable>;
}

/**
 * Lays out the variables of an entry. `extern .shared` memory, of `dynamicShared` bytes, comes
 * last.
 */
export function layoutMemory(
  module: PtxModule,
  body: PtxBody,
  entryParams: readonly PtxVariable[],
  ranges: ParamRanges,
  dynamicShared: number,
): MemoryLayout {
  const used = namesIn(body);
  const outer = module.variables.filter(({ name }) => used.has(name));
  const inSpace = (space: PtxVariable['space']): readonly PtxVariable[] =>
    [...outer, ...body.variables].filter((variable) => variable.space === space);
  const shared = inSpace('shared');
  const kept = [...entryParams, ...inSpace('param')].filter(({ name }) => ranges.inMemory.has(name));
  const global = new Map([...inSpace('global'), ...inSpace('const')].map((variable) => [variable.name, variable]));
  return {
    shared: layOut([...shared.filter((one) => !isDynamic(one)), ...shared.filter(isDynamic)], dynamicShared),
    local: layOut([...inSpace('local'), ...kept], 0),
    global,
  };
}

function isDynamic({ isExtern, bytes }: PtxVariable): boolean {
  return isExtern && bytes === 0;
}

function layOut(variables: readonly PtxVariable[], dynamic: number): LaidOut {
  const offsets = new Map<string, number>();
  let end = 0;
  let dynamicAt: number | undefined;
  for (const variable of variables) {
    if (isDynamic(variable)) {
      // All arrays without a size share the same memory.
      dynamicAt ??= roundUp(end, Math.max(16, variable.align));
      offsets.set(variable.name, dynamicAt);
      continue;
    }
    end = roundUp(end, variable.align);
    offsets.set(variable.name, end);
    end += variable.bytes;
  }
  return { offsets, bytes: dynamicAt === undefined ? end : dynamicAt + dynamic, dynamicBytes: dynamic };
}

function roundUp(value: number, to: number): number {
  return Math.ceil(value / to) * to;
}

function namesIn(body: PtxBody): ReadonlySet<string> {
  const names = new Set<string>();
  for (const item of body.items) {
    if (item.kind === 'label') continue;
    for (const operand of item.operands) {
      if (operand.kind === 'symbol') names.add(operand.name);
      else if (operand.kind === 'address' && operand.base?.kind === 'symbol') names.add(operand.base.name);
      else if (operand.kind === 'list' || operand.kind === 'vector') {
        for (const one of operand.elements) if (one.kind === 'symbol') names.add(one.name);
      }
    }
  }
  return names;
}
