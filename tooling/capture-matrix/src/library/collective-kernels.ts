import {
  algorithmFacts,
  algorithmsOf,
  collectiveNames,
  collectiveShapes,
  kernelOf,
  redOpCreatePreMulSum,
  type KernelQuery,
  type ReduceOp,
} from '@nccl-ts/collectives';
import { RedOp, type ScalarKind } from '@nccl-ts/core';

import type { NamedKernel } from './named-kernel.ts';

/** NCCL's operators, by their names in the names of kernels. */
const operators: Readonly<Record<string, ReduceOp>> = {
  sum: RedOp.Sum,
  prod: RedOp.Prod,
  min: RedOp.Min,
  max: RedOp.Max,
  avg: RedOp.Avg,
  preMulSum: redOpCreatePreMulSum(2),
};

/**
 * Types whose kernels differ in more than the type: packed floats, and types that are reduced in
 * another type.
 */
const elements = ['f32', 'bf16', 'e4m3', 'u8', 'f64'] as const;

/** Kernels for any number of ranks, and kernels for a fixed number. */
const machines = [
  { backend: '', lsaSize: 0 },
  { backend: 'cuda', lsaSize: 4 },
] as const;

/**
 * The element types with which all operators are tested. The other types are tested only with the
 * sum.
 */
const [common] = elements;

/**
 * Every algorithm of every collective, alone and in a group: every device function that `kernelOf`
 * can reach.
 */
export function collectiveKernels(): readonly NamedKernel[] {
  return collectiveNames.flatMap((collective) =>
    algorithmsOf[collective].flatMap((algorithm) => {
      const { reduces } = collectiveShapes[collective];
      const ops = Object.entries(reduces ? operators : { none: undefined });
      const can = (element: ScalarKind, name: string): boolean => {
        const { obstacle, spansDomains } = algorithmFacts[algorithm];
        const op = name === 'preMulSum' ? name : undefined;
        return obstacle({ nRanks: 4, lsaSize: spansDomains ? 2 : 4, element, op, inPlace: false }) === undefined;
      };
      const choices = [
        ...ops.map(([name, op]) => ({ name, op, element: common })),
        ...elements.slice(1).map((element) => ({ name: ops[0]?.[0] ?? 'none', op: ops[0]?.[1], element })),
      ];
      const possible = choices.filter(({ element, name }) => can(element, name));
      return possible.flatMap(({ name, op, element }) =>
        machines.flatMap((place) =>
          [false, true].map((grouped): NamedKernel => {
            const query: KernelQuery = { collective, algorithm, element, grouped, ...place };
            const id = [collective, algorithm, element, name, place.backend || 'any', grouped ? 'grouped' : 'one'];
            const isCommon =
              !grouped &&
              (place === machines[0] || algorithm === 'twoShot') &&
              (element === 'f32' || element === 'bf16');
            return {
              id: id.join('/'),
              kernel: kernelOf(op === undefined ? query : { ...query, op }),
              common: isCommon,
            };
          }),
        ),
      );
    }),
  );
}
