import { allCases, mutants } from '@nccl-ts/conformance';
import { elementScalar, parseModule, printModule, walkBody, type Expression, type Module } from '@nccl-ts/ir';
import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import { describe, expect, inject, it } from 'vitest';

/** The quick tests have one of 24. */
const isNow = (_: unknown, i: number): boolean => (i % 24 === 0) !== inject('slow');

/** One of this many cases has its text parsed again; with NCCLTS_EVERY_CASE set, all have. */
const step = inject('everyCase') ? 1 : 4;

const always: readonly ScalarKind[] = ['bool', 'i32', 'u32', 'f32', 'addr'];

/** The scalars of a module's values, locals, arrays and parameters. */
function scalarsOf(module: Module): ReadonlySet<ScalarKind> {
  const found = new Set<ScalarKind>();
  const add = ({ type }: Pick<Expression, 'type'>): void => {
    if (type.kind === 'scalar' || type.kind === 'vector') found.add(elementScalar(type));
    if (type.kind === 'pointer') found.add(elementScalar(type.element));
  };
  for (const entry of [...module.params, ...module.locals]) add(entry);
  for (const { element } of module.arrays) add({ type: element });
  walkBody(module.body, { expression: add });
  return found;
}

describe('the cases', () => {
  it('have unique ids with theme and subject', () => {
    const ids = allCases.map(({ id }) => id);
    expect(ids.filter((id) => !/^[a-z0-9-]+(\/[a-z0-9-]+)+$/.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(120);
  });

  it.each(allCases.map((one, place) => [one.id, one, place] as const).filter(isNow))(
    '%s has kernels that compile and that it declares',
    (_id, one, place) => {
      for (const kernel of one.kernels) {
        const module = kernel.compile();
        const undeclared = [...scalarsOf(module)].filter(
          (kind) => !always.includes(kind) && !one.requires.scalars?.includes(kind),
        );
        expect(undeclared).toEqual([]);
        const shared = module.arrays.filter(({ space }) => space === 'shared');
        const bytes = shared.reduce((sum, { element, length }) => {
          const width = element.kind === 'vector' ? element.width : 1;
          return sum + scalarInfo[elementScalar(element)].bytes * width * length;
        }, 0);
        // The memory that every backend has: the minimum of WebGPU.
        expect(bytes).toBeLessThanOrEqual(Math.max(16384, one.requires.sharedBytes ?? 0));
        if (place % step !== 0) continue;
        const text = printModule(module);
        expect(printModule(parseModule(text))).toBe(text);
      }
    },
  );
});

describe('the mutants', () => {
  it('have unique ids, and each is detected by some case', () => {
    expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length);
    expect(mutants.every(({ caughtBy }) => caughtBy.length > 0)).toBe(true);
    expect(mutants.length).toBeGreaterThan(2);
  });
});
