import type { PtxFunction, PtxModule, PtxOperand } from '@nccl-ts/ptx';

/** The names in the text of an entry and of the functions that it calls. */
export function namedBy({ functions }: PtxModule, entry: PtxFunction): ReadonlySet<string> {
  const named = new Set<string>();
  const open = [entry];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const item of next.body?.items ?? []) {
      if (item.kind === 'label') continue;
      for (const name of item.operands.flatMap(symbolsOf)) {
        if (named.has(name)) continue;
        named.add(name);
        open.push(...functions.filter((one) => one.name === name && one !== entry));
      }
    }
  }
  return named;
}

function symbolsOf(operand: PtxOperand): readonly string[] {
  return symbolsAndRegistersOf(operand).filter((name) => !name.startsWith('%'));
}

/** The names in an operand: of symbols, and of registers, which begin with `%`. */
export function symbolsAndRegistersOf(operand: PtxOperand): readonly string[] {
  switch (operand.kind) {
    case 'symbol':
      return [operand.name];
    case 'address':
      return operand.base === undefined ? [] : [operand.base.name];
    case 'vector':
    case 'list':
      return operand.elements.flatMap(symbolsAndRegistersOf);
    case 'pair':
      return [...symbolsAndRegistersOf(operand.first), ...symbolsAndRegistersOf(operand.second)];
    case 'register':
      return [operand.name];
    case 'integer':
    case 'float':
    case 'sink':
      return [];
  }
}
