/** A synchronisation of an entry, and the text without it. */
export interface PtxMutant {
  /** The change, such as `release -> relaxed`. */
  readonly what: string;
  /** The line of the PTX, from 1. */
  readonly line: number;
  readonly instruction: string;
  /**
   * The locations, such as `file.cuh:12`, of the instruction and of the calls that lead to it,
   * innermost first.
   */
  readonly places: readonly string[];
  /** True if an access became weaker, and false if a fence or barrier was removed. */
  readonly isAccess: boolean;
  readonly text: string;
  /** The text with a trap before the synchronisation, which fails if a thread reaches it. */
  readonly trap: string;
}

interface TextChange {
  readonly what: string;
  readonly from: RegExp;
  /** `undefined` removes the instruction. */
  readonly to?: string;
}

const changes: readonly TextChange[] = [
  { what: 'release -> relaxed', from: /\.(release|acq_rel)(?=\.)(?!.*fence)/, to: '.relaxed' },
  { what: 'acquire -> relaxed', from: /\.acquire(?=\.)/, to: '.relaxed' },
  { what: 'volatile -> weak', from: /\.volatile(?=\.)/, to: '' },
  { what: 'sys -> gpu', from: /\.sys(?=[.;\s])/, to: '.gpu' },
  { what: 'fence dropped', from: /^(fence|membar)\./ },
  { what: 'barrier dropped', from: /^(bar|barrier)\./ },
];

/** Each synchronisation of an entry of a PTX text, removed one at a time. */
export function synchronisations(text: string, entry: string): readonly PtxMutant[] {
  const lines = text.split('\n');
  const files = fileNames(lines);
  const [first, last] = bodyOf(lines, entry);
  const mutants: PtxMutant[] = [];
  let places: readonly string[] = [];
  const seen = new Map<string, readonly string[]>();
  for (let i = first; i < last; i++) {
    const line = lines[i] ?? '';
    const loc = /^\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)(?:.*inlined_at\s+(\d+)\s+(\d+)\s+(\d+))?/.exec(line);
    if (loc !== null) {
      const at = (file = '', row = '', column = ''): string => `${file} ${row} ${column}`;
      const own = `${files.get(loc[1] ?? '') ?? '?'}:${loc[2]}`;
      const outer =
        loc[4] === undefined ? [] : (seen.get(at(loc[4], loc[5], loc[6])) ?? [`${files.get(loc[4]) ?? '?'}:${loc[5]}`]);
      places = [own, ...outer];
      seen.set(at(loc[1], loc[2], loc[3]), places);
      continue;
    }
    const instruction = line.trim();
    const bare = instruction.replace(/^@!?%\w+\s+/, '');
    if (!/^[a-z]/.test(bare)) continue;
    const isFence = /^(fence|membar)\./.test(bare);
    for (const { what, from, to } of changes) {
      if (!from.test(bare) || (isFence && to !== undefined)) continue;
      const changed = [...lines];
      changed[i] = to === undefined ? '' : line.replace(from, to);
      const trapped = [...lines];
      trapped[i] = `${/^@!?%\w+\s+/.exec(instruction)?.[0] ?? ''}trap; ${line}`;
      mutants.push({
        what,
        line: i + 1,
        instruction: bare,
        places,
        isAccess: to !== undefined,
        text: changed.join('\n'),
        trap: trapped.join('\n'),
      });
    }
  }
  return mutants;
}

function fileNames(lines: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const line of lines) {
    const file = /^\s*\.file\s+(\d+)\s+"([^"]*)"/.exec(line);
    if (file?.[1] !== undefined && file[2] !== undefined) names.set(file[1], file[2].split('/').at(-1) ?? file[2]);
  }
  return names;
}

/** The lines of an entry's body. */
function bodyOf(lines: readonly string[], entry: string): readonly [number, number] {
  const first = lines.findIndex((line) => line.includes('.entry') && line.includes(entry));
  if (first === -1) throw new Error(`there is no entry ${entry}`);
  // Inline assembly contains braces, so the body ends at the next function.
  const length = lines.slice(first + 1).findIndex((line) => /^\s*(\.\w+\s+)*\.(entry|func)\b/.test(line));
  return [first, length === -1 ? lines.length : first + 1 + length];
}
