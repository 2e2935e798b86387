import type { PtxBody, PtxInstruction } from '../syntax/module.ts';

/** Instructions after which, without a guard, the next one does not run. */
const ends: ReadonlySet<string> = new Set(['bra', 'brx', 'ret', 'exit']);

/** Removes unreachable code from a body. */
export function reachable(body: PtxBody): PtxBody {
  const { items } = body;
  const labels = new Map(items.flatMap((item, index) => (item.kind === 'label' ? [[item.name, index]] : [])));
  const reached = new Set<number>();
  const open = [0];
  for (let start = open.pop(); start !== undefined; start = open.pop()) {
    for (let at = start; at < items.length && !reached.has(at); at++) {
      reached.add(at);
      const item = items[at];
      if (item === undefined || item.kind === 'label' || !ends.has(item.words[0])) continue;
      for (const name of targetsOf(item, body)) {
        const to = labels.get(name);
        // A missing label is reported where the branch is translated.
        if (to !== undefined) open.push(to);
      }
      if (item.guard === undefined) break;
    }
  }
  return reached.size === items.length ? body : { ...body, items: items.filter((_, index) => reached.has(index)) };
}

function targetsOf({ operands }: PtxInstruction, { branchTargets }: PtxBody): readonly string[] {
  return operands.flatMap((operand) =>
    operand.kind === 'symbol' ? (branchTargets.get(operand.name) ?? [operand.name]) : [],
  );
}
