import { offsetAt } from '@nccl-ts/ir';
import type { LaunchedKernel } from '../../program/changed-kernels.ts';
import type { NeededName, Strengthening, StrengtheningKind } from '../strengthening.ts';
import type { AuthorFile } from '../../author-range.ts';
import { textOfStatements, type AuthorStatement } from './author-statements.ts';
import { deviceNames } from './device-names.ts';
import type { LineGap } from './line-gaps.ts';

interface InsertedStatement {
  readonly kind: StrengtheningKind;
  readonly text: string;
  readonly cost: number;
  readonly names: readonly string[];
}

/** The fences, barriers and waits that may stand in a gap of a kernel. */
export function insertedStatements(
  gap: LineGap,
  statements: readonly AuthorStatement[],
  author: AuthorFile,
  { isProgrammatic }: Pick<LaunchedKernel, 'isProgrammatic'>,
): readonly Strengthening[] {
  const { line, indent, depth, beside } = gap;
  // A barrier in a loop costs more than one after it.
  const again = beside.loops / 10;
  const { text } = author;
  const names = deviceNames(beside.source, author);
  const start = offsetAt(text, line, 1);
  if (names === undefined || start === undefined) return [];
  const own = statements.filter(({ source }) => source === beside.source);
  const receivers = own.flatMap(({ statement, start: from, end }) =>
    statement.kind === 'call' && statement.name.startsWith('gin.')
      ? [/^([\w$.]+)\.(?:put|putValue|get|signal)\(/u.exec(text.slice(from, end))?.[1]]
      : [],
  );
  const nets = [...new Set(receivers.filter((net) => net !== undefined))];
  const made: readonly InsertedStatement[] = [
    { kind: 'fence', text: "fence('acq_rel', 'system')", cost: 2, names: ['fence'] },
    { kind: 'sc-fence', text: "fence('seq_cst', 'system')", cost: 2.5, names: ['fence'] },
    { kind: 'barrier', text: THREADS, cost: 3 + again, names: ['coopCta'] },
    ...(isProgrammatic && depth === 0 ? [GRID_DEPENDENCY] : []),
    ...barriersOf(own, text).map((barrier) => ({
      kind: 'barrier' as const,
      text: barrier,
      cost: 4 + again,
      names: [],
    })),
    ...nets.map((net) => ({
      kind: 'completion' as const,
      text: `${net}.flush(coopThread())`,
      cost: 2,
      names: ['coopThread'],
    })),
  ];
  return made.map(({ kind, text: statement, cost, names: wanted }) => {
    const needs: NeededName[] = [];
    let call = statement;
    for (const name of wanted) {
      const { text: written, needed } = names.of(name);
      call = call.replace(new RegExp(`\\b${name}\\(`, 'u'), `${written}(`);
      if (needed !== undefined) needs.push(needed);
    }
    return {
      kind,
      does: `insert ${call}`,
      instruction: '',
      edits: [{ span: { start, end: start }, with: `${indent}${call};\n` }],
      lines: [line],
      cost,
      silences: false,
      depth,
      needs,
    };
  });
}

/** The wait of a launch that may begin before the previous one has ended. */
const GRID_DEPENDENCY: InsertedStatement = {
  kind: 'grid-dependency',
  text: 'gridDependencySync()',
  cost: 2,
  names: ['gridDependencySync'],
};

/** The barrier of the threads of a CTA. */
const THREADS = 'coopCta().sync()';

/** The opening of a session: its name, the function that opens it, and its threads. */
const SESSION = /\b(?:const|let|using)\s+([\w$]+)\s*=\s*([\w$.]*[bB]arrier(?:Session|\.session))\(\s*([\w$.]+\(\))/gu;

/** A memory order among the arguments of a call. */
const ORDER = /(?<=(['"`]))(?:relaxed|acquire|release)(?=\1)/u;

/**
 * The barriers of the ranks that a function can meet: one for each session that it opens, in the
 * words with which it meets it already.
 */
function barriersOf(own: readonly AuthorStatement[], text: string): readonly string[] {
  const sessions = textOfStatements(own, text).matchAll(SESSION);
  const found = [...sessions].map(([, session = '', module = '', coop = '']) => {
    const met = own.find(
      ({ statement, start }) => statement.kind === 'call' && text.startsWith(`${session}.sync(`, start),
    );
    // A weaker order may be what is wrong.
    if (met !== undefined) return text.slice(met.start, met.end).replace(ORDER, 'acq_rel');
    return `${session}.sync(${coop}, 'acq_rel'${module.startsWith('gin.') ? ", 'none'" : ''})`;
  });
  return [...new Set(found)];
}

/** Barriers of the ranks at the end and at the beginning of a kernel, out of its strengthenings. */
export function betweenLaunches(all: readonly Strengthening[]): readonly Strengthening[] {
  const barriers = all.filter(({ kind, does, depth }) => kind === 'barrier' && depth === 0 && !does.endsWith(THREADS));
  const [first, last] = [barriers[0], barriers.at(-1)];
  return first === undefined || last === undefined ? [] : first === last ? [first] : [last, first];
}
