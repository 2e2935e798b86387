const BEGIN = '// begin inline asm';
const END = '// end inline asm';

/**
 * Finds the `.loc` directives that count lines nobody wrote, by the place of their first character.
 *
 * Triton makes a masked load as inline assembly: a `mov` for each register that the load fills, and
 * the load behind a predicate. LLVM takes every line of inline assembly for a line of the source
 * file, so that the load would be as many lines late. Its first `.loc` is the line of the call.
 * Assembly that authors wrote has other shapes, and its lines are those of their file.
 */
export function countedLocations(text: string): ReadonlySet<number> {
  const found = new Set<number>();
  for (let begin = text.indexOf(BEGIN); begin >= 0; begin = text.indexOf(BEGIN, begin + 1)) {
    const start = begin + BEGIN.length;
    const end = text.indexOf(END, start);
    if (end < 0) break;
    const block = text.slice(start, end);
    if (!isMaskedLoad(block)) continue;
    const [, ...later] = block.matchAll(/\.loc\b/g);
    for (const { index } of later) found.add(start + index);
  }
  return found;
}

const move = /^mov\.[bu]\d+\s+(?<to>%\w+),\s*[^,;]+;$/;
const load = /^(?:@!?%\w+\s+)?ld\.global[.\w:]*\s+\{(?<into>[^}]*)\},\s*\[[^\]]*\](?:,[^;]*)?;$/;

/** True if all instructions but the last give first values to the registers that the last loads. */
function isMaskedLoad(block: string): boolean {
  const lines = block.split('\n').map((line) => line.replace(/\/\/.*/, '').trim());
  const instructions = lines.filter((line) => line !== '' && !line.startsWith('.loc'));
  const last = instructions.pop();
  const into = load
    .exec(last ?? '')
    ?.groups?.['into']?.split(',')
    .map((name) => name.trim());
  if (into === undefined || instructions.length !== into.length) return false;
  return instructions.every((line, i) => move.exec(line)?.groups?.['to'] === into[i]);
}
