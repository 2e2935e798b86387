/** A row of a Markdown table. */
export const row = (...cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;

/** A Markdown table of finished rows. */
export const table = (head: readonly string[], rows: readonly string[]): string =>
  [row(...head), row(...head.map(() => '---')), ...rows].join('\n');

/** A paragraph in lines of at most 100 columns, the further ones indented. */
export function wrapped(text: string, indent = '  '): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && last.length + 1 + word.length > 100) lines.push(indent + word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines.join('\n');
}

/** The text with another part between two marks. */
export function replaced(text: string, mark: string, part: string): string {
  const [start, end] = [`<!-- ${mark} -->`, `<!-- end of ${mark} -->`];
  const [before = '', after = ''] = [text.split(start)[0], text.split(end)[1]];
  return `${before}${start}\n\n${part}\n\n${end}${after}`;
}
