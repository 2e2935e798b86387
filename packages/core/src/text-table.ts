/** Pads each cell to the width of its column. Columns for which `isRight` holds are right-aligned. */
export function alignCells(
  rows: readonly (readonly string[])[],
  isRight: (column: number) => boolean = () => false,
): readonly (readonly string[])[] {
  const width = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return rows.map((row) =>
    row.map((cell, column) => (isRight(column) ? cell.padStart(width(column)) : cell.padEnd(width(column)))),
  );
}

/** Returns a table in Markdown, without a line break at its end. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  isRight: (column: number) => boolean = () => false,
): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`;
  const rule = head.map(({ length }, column) => `${'-'.repeat(length + 1)}${isRight(column) ? ':' : '-'}`);
  return [line(head), `|${rule.join('|')}|`, ...rows.map(line)].join('\n');
}
