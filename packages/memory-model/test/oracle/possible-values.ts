import { linesOf } from './small-program.ts';
import type { SmallProgram, Value } from './small-program.ts';

/** A value, and the operations that it went through. */
type Made = Readonly<{ value: number; by: ReadonlySet<string> }>;

/**
 * The values that each location may ever hold. A value comes from a constant through additions and
 * copies. No value comes out of thin air, so each operation applies to it at most once. Conditions
 * are assumed to be true, so some values may never appear.
 */
export function possibleValues(
  program: SmallProgram,
  locations: readonly string[],
): ReadonlyMap<string, ReadonlySet<number>> {
  const made = new Map(locations.map((location) => [location, new Map([keyed({ value: 0, by: new Set() })])]));
  const at = (location: string | undefined): readonly Made[] => [...(made.get(location ?? '')?.values() ?? [])];

  for (let grown = true; grown;) {
    grown = false;
    for (const [agent, { operations }] of program.agents.entries()) {
      const lines = linesOf(operations);
      const sources = new Map(
        lines.flatMap(({ operation }): readonly (readonly [string, string])[] =>
          operation.kind === 'load' || operation.kind === 'rmw' ? [[operation.register, operation.location]] : [],
        ),
      );
      const operandsOf = ({ register, constant }: Value): readonly Made[] =>
        register === undefined
          ? [{ value: constant, by: new Set() }]
          : at(sources.get(register)).map(({ value, by }) => ({ value: value + constant, by }));

      for (const { operation, position } of lines) {
        if (operation.kind !== 'store' && operation.kind !== 'rmw') continue;
        const isAdd = operation.kind === 'rmw' && operation.update === 'add';
        const self = `${agent}.${position}`;
        for (const operand of operandsOf(operation.value)) {
          for (const base of isAdd ? at(operation.location) : [{ value: 0, by: new Set<string>() }]) {
            const by = new Set([...operand.by, ...base.by]);
            if (by.has(self)) continue;
            const works = isAdd || operation.value.register !== undefined;
            const [key, next] = keyed({ value: operand.value + base.value, by: works ? by.add(self) : by });
            const known = made.get(operation.location);
            if (known === undefined || known.has(key)) continue;
            known.set(key, next);
            grown = true;
          }
        }
      }
    }
  }
  return new Map([...made].map(([location, all]) => [location, new Set([...all.values()].map(({ value }) => value))]));
}

function keyed(made: Made): readonly [string, Made] {
  return [`${made.value} ${[...made.by].sort().join(' ')}`, made];
}
