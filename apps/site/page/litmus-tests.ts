/** A litmus test of the menu, with the expected answer from the memory model's table. */
export interface LitmusTest {
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly isAllowed: boolean;
}

const shapes = {
  MP: {
    threads: [
      ['x = 1 W', 'y = 1 W'],
      ['a = y R', 'b = x R'],
    ],
    exists: 'a=1 b=0',
  },
  SB: {
    threads: [
      ['x = 1 W', 'a = y R'],
      ['y = 1 W', 'b = x R'],
    ],
    exists: 'a=0 b=0',
  },
  LB: {
    threads: [
      ['a = x R', 'y = 1 W'],
      ['b = y R', 'x = 1 W'],
    ],
    exists: 'a=1 b=1',
  },
  IRIW: {
    threads: [['x = 1 W'], ['y = 1 W'], ['a = x R', 'b = y R'], ['c = y R', 'd = x R']],
    exists: 'a=1 b=0 c=1 d=0',
  },
} as const;

const titles: Readonly<Record<keyof typeof shapes, string>> = {
  MP: 'message passing (MP)',
  SB: 'store buffering (SB)',
  LB: 'load buffering (LB)',
  IRIW: 'independent reads of independent writes (IRIW)',
};

/** Columns of the table: orders, the fence between two accesses, and the answer for each shape. */
const columns = [
  { name: 'weak', title: 'plain', write: '', read: '', fence: '', allowed: 'AAAA' },
  { name: 'relaxed', title: 'relaxed', write: 'relaxed', read: 'relaxed', fence: '', allowed: 'AAAA' },
  {
    name: 'synchronizing',
    title: 'release and acquire',
    write: 'release',
    read: 'acquire',
    fence: '',
    allowed: 'FAFA',
  },
  {
    name: 'fences',
    title: 'relaxed, acq_rel fences',
    write: 'relaxed',
    read: 'relaxed',
    fence: 'acq_rel',
    allowed: 'FAFA',
  },
  {
    name: 'sequential',
    title: 'relaxed, seq_cst fences',
    write: 'relaxed',
    read: 'relaxed',
    fence: 'seq_cst',
    allowed: 'FFFF',
  },
] as const;

type LitmusShape = keyof typeof shapes;

export const litmusTests: readonly LitmusTest[] = (['MP', 'SB', 'LB', 'IRIW'] as const).flatMap((shape, row) =>
  columns.map((column) => ({
    name: `${shape}-${column.name}`,
    title: `${titles[shape]}: ${column.title}`,
    text: textOf(shape, column),
    isAllowed: column.allowed[row] === 'A',
  })),
);

function textOf(shape: LitmusShape, { write, read, fence }: (typeof columns)[number]): string {
  const { threads, exists } = shapes[shape];
  const access = (order: string): string => (order === '' ? '' : ` ${order} system`);
  const lines = threads.flatMap((steps, index) => [
    `thread T${index} on rank ${index}`,
    ...steps.flatMap((step, i) => [
      ...(i > 0 && fence !== '' ? [`  fence ${fence} system`] : []),
      `  ${step.replace(/ W$/, access(write)).replace(/ R$/, access(read))}`,
    ]),
    '',
  ]);
  return `# Locations are x, y and z; other names are registers.\n${lines.join('\n')}\nexists ${exists}\n`;
}
