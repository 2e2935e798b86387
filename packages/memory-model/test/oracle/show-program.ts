import { linesOf } from './small-program.ts';
import type { Agent, Operation, Ordering, SmallProgram, Value } from './small-program.ts';

/** The program as columns of text, one for each agent, with the positions of its operations. */
export function showProgram(program: SmallProgram): string {
  const columns = program.agents.map(column);
  const height = Math.max(...columns.map((lines) => lines.length));
  const widths = columns.map((lines) => Math.max(...lines.map((line) => line.length)));
  const rows = Array.from({ length: height }, (_, row) =>
    columns
      .map((lines, index) => (lines[row] ?? '').padEnd(widths[index] ?? 0))
      .join(' | ')
      .trimEnd(),
  );
  return [program.name, ...rows].join('\n');
}

function column({ place, operations }: Agent, index: number): readonly string[] {
  const lines = linesOf(operations).map(
    ({ position, depth, operation }) => `${position} ${'  '.repeat(depth)}${showOperation(operation)}`,
  );
  return [`agent ${index}: rank ${place.rank} cta ${place.cta} thread ${place.thread}`, ...lines];
}

/** An operation as a line of text. An `if` shows only its condition. */
export function showOperation(operation: Operation): string {
  switch (operation.kind) {
    case 'load':
      return `${operation.register} = ld${suffix(operation.ordering)} ${operation.location}`;
    case 'store':
      return `st${suffix(operation.ordering)} ${operation.location}, ${showValue(operation.value)}`;
    case 'rmw': {
      const compare = operation.update === 'cas' ? `${operation.compare}, ` : '';
      const { register, update, ordering, location, value } = operation;
      return `${register} = ${update}${suffix(ordering)} ${location}, ${compare}${showValue(value)}`;
    }
    case 'fence':
      return `fence${suffix(operation.ordering)}`;
    case 'barrier':
      return 'barrier';
    case 'if':
      return `if ${operation.register} == ${operation.equals}`;
    case 'wait':
      return `wait${suffix(operation.ordering)} ${operation.location} == ${operation.equals}`;
  }
}

function suffix(ordering: Ordering): string {
  return ordering === 'weak' ? '.weak' : `.${ordering.order}.${ordering.scope}`;
}

function showValue({ register, constant }: Value): string {
  if (register === undefined) return `${constant}`;
  return constant === 0 ? register : `${register} + ${constant}`;
}
