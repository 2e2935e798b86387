import type { LitmusTest, PartialOutcome } from './litmus-test.ts';
import { agent, fence, load, store, strong } from './operations.ts';
import { smallProgram } from './small-program.ts';
import type { FenceOrder, LoadOrder, Operation, Ordering, SmallProgram, StoreOrder } from './small-program.ts';

/** An access of a shape, before a column orders it: a write has a value, a read a register. */
type Access = Readonly<{ location: string } & ({ writes: number } | { reads: string })>;
type Shape = Readonly<{ agents: readonly (readonly Access[])[]; weak: PartialOutcome }>;

type Column = Readonly<{
  write: (last: boolean) => Ordering<StoreOrder>;
  read: (first: boolean) => Ordering<LoadOrder>;
  /** The operation between any two accesses of an agent. */
  between?: readonly [order: FenceOrder, scope: 'device' | 'system'];
  /** True if each agent has a GPU, or a CTA of one GPU. */
  apart: 'gpu' | 'cta';
}>;

const w = (location: string, writes: number): Access => ({ location, writes });
const r = (location: string, reads: string): Access => ({ location, reads });

/** The shapes with the outcome in question, in the order of the table. */
const shapes: Readonly<Record<string, Shape>> = {
  MP: {
    agents: [
      [w('x', 1), w('y', 1)],
      [r('y', 'a'), r('x', 'b')],
    ],
    weak: { '1:a': 1, '1:b': 0 },
  },
  SB: {
    agents: [
      [w('x', 1), r('y', 'a')],
      [w('y', 1), r('x', 'b')],
    ],
    weak: { '0:a': 0, '1:b': 0 },
  },
  LB: {
    agents: [
      [r('x', 'a'), w('y', 1)],
      [r('y', 'b'), w('x', 1)],
    ],
    weak: { '0:a': 1, '1:b': 1 },
  },
  R: {
    agents: [
      [w('x', 1), w('y', 1)],
      [w('y', 2), r('x', 'a')],
    ],
    weak: { '1:a': 0, y: 2 },
  },
  S: {
    agents: [
      [w('x', 2), w('y', 1)],
      [r('y', 'a'), w('x', 1)],
    ],
    weak: { '1:a': 1, x: 2 },
  },
  '2+2W': {
    agents: [
      [w('x', 1), w('y', 2)],
      [w('y', 1), w('x', 2)],
    ],
    weak: { x: 1, y: 1 },
  },
  WRC: {
    agents: [[w('x', 1)], [r('x', 'a'), w('y', 1)], [r('y', 'b'), r('x', 'c')]],
    weak: { '1:a': 1, '2:b': 1, '2:c': 0 },
  },
  ISA2: {
    agents: [
      [w('x', 1), w('y', 1)],
      [r('y', 'a'), w('z', 1)],
      [r('z', 'b'), r('x', 'c')],
    ],
    weak: { '1:a': 1, '2:b': 1, '2:c': 0 },
  },
  RWC: {
    agents: [[w('x', 1)], [r('x', 'a'), r('y', 'b')], [w('y', 1), r('x', 'c')]],
    weak: { '1:a': 1, '1:b': 0, '2:c': 0 },
  },
  IRIW: {
    agents: [[w('x', 1)], [w('y', 1)], [r('x', 'a'), r('y', 'b')], [r('y', 'c'), r('x', 'd')]],
    weak: { '2:a': 1, '2:b': 0, '3:c': 1, '3:d': 0 },
  },
  CoRR: { agents: [[w('x', 1)], [r('x', 'a'), r('x', 'b')]], weak: { '1:a': 1, '1:b': 0 } },
  CoWW: { agents: [[w('x', 1), w('x', 2)]], weak: { x: 1 } },
  CoWR: { agents: [[w('x', 1), r('x', 'a')], [w('x', 2)]], weak: { '0:a': 2, x: 1 } },
  CoRW: { agents: [[r('x', 'a'), w('x', 1)], [w('x', 2)]], weak: { '0:a': 2, x: 2 } },
  CoRR2: {
    agents: [[w('x', 1)], [w('x', 2)], [r('x', 'a'), r('x', 'b')], [r('x', 'c'), r('x', 'd')]],
    weak: { '2:a': 1, '2:b': 2, '3:c': 2, '3:d': 1 },
  },
};

type Orderings = Pick<Column, 'write' | 'read'>;

const weak: Orderings = { write: () => 'weak', read: () => 'weak' };
const relaxed = (scope: 'device' | 'system'): Orderings => ({
  write: () => strong('relaxed', scope),
  read: () => strong('relaxed', scope),
});
const synchronizing = (scope: 'device' | 'system'): Orderings => ({
  write: () => strong('release', scope),
  read: () => strong('acquire', scope),
});

/**
 * The variant of a shape in each column. The table's legend leaves two points open. This reading is
 * the only one that gives all its cells. In column 3 a write is a flag if its agent has no later
 * access, and a read is a flag if its agent has no earlier one. Every other access is data. So MP
 * has one flag, WRC two, SB none, and in CoWR only the other agent's write is one. The relaxed
 * accesses beside a fence have the scope of the fence.
 */
const columns: readonly Column[] = [
  { ...weak, apart: 'gpu' },
  { ...relaxed('system'), apart: 'gpu' },
  {
    write: (last) => (last ? strong('release') : 'weak'),
    read: (first) => (first ? strong('acquire') : 'weak'),
    apart: 'gpu',
  },
  { ...synchronizing('system'), apart: 'gpu' },
  { ...synchronizing('device'), apart: 'gpu' },
  { ...synchronizing('device'), apart: 'cta' },
  { ...relaxed('system'), between: ['acq_rel', 'system'], apart: 'gpu' },
  { ...relaxed('device'), between: ['acq_rel', 'device'], apart: 'gpu' },
  { ...relaxed('system'), between: ['seq_cst', 'system'], apart: 'gpu' },
  { ...relaxed('device'), between: ['seq_cst', 'device'], apart: 'gpu' },
  { ...relaxed('device'), between: ['seq_cst', 'device'], apart: 'cta' },
  { ...weak, between: ['seq_cst', 'system'], apart: 'gpu' },
];

/** The expected results of each shape, column by column. */
const table: Readonly<Record<string, string>> = {
  MP: 'AAFFAFFAFAFF',
  SB: 'AAAAAAAAFAFF',
  LB: 'AAFFAFFAFAFF',
  R: 'AAAAAAAAFAFF',
  S: 'AAFFAFFAFAFF',
  '2+2W': 'AAAAAAAAFAFF',
  WRC: 'AAFFAFFAFAFA',
  ISA2: 'AAFFAFFAFAFF',
  RWC: 'AAAAAAAAFAFA',
  IRIW: 'AAAAAAAAFAFA',
  CoRR: 'AFFFAFFAFAFA',
  CoWW: 'FFFFFFFFFFFF',
  CoWR: 'AFAFAFFAFAFA',
  CoRW: 'AFFFAFFAFAFA',
  CoRR2: 'AFFFAFFAFAFA',
};

/** The cells of the litmus table: 15 shapes in 12 columns, row by row. */
export function litmusTests(): readonly LitmusTest[] {
  return Object.entries(shapes).flatMap(([row, shape]) =>
    columns.map((column, index): LitmusTest => {
      const expected = table[row]?.[index] === 'A' ? 'A' : 'F';
      const program = programOf(`${row} ${index + 1}`, shape, column);
      return { row, column: index + 1, program, weak: shape.weak, expected };
    }),
  );
}

function programOf(name: string, { agents }: Shape, column: Column): SmallProgram {
  const { between, apart } = column;
  return smallProgram(
    name,
    agents.map((accesses, number) => {
      const operations = accesses.flatMap((access, index): readonly Operation[] => {
        const operation = orderedAccess(access, column, index === 0, index === accesses.length - 1);
        return index === 0 || between === undefined ? [operation] : [fence(...between), operation];
      });
      return agent(apart === 'gpu' ? `${number}` : `0.${number}`, ...operations);
    }),
  );
}

function orderedAccess(access: Access, { write, read }: Column, first: boolean, last: boolean): Operation {
  if ('writes' in access) return store(access.location, access.writes, write(last));
  return load(access.reads, access.location, read(first));
}
