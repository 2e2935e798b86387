/** Writes the tables of README.md from results.json: `npx tsx write-table.ts`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { replaced, row, table, wrapped } from './markdown.ts';
import removals from './removals.json' with { type: 'json' };
import corpus from './results.json' with { type: 'json' };

interface Result {
  readonly ranks: number;
  readonly verdict: string;
  readonly proves?: string;
  readonly seconds: number | null;
  readonly mebibytes: number | null;
}

interface Kernel {
  readonly name: string;
  readonly codeBase: string;
  readonly entry: string;
  readonly compiled: string;
  readonly judgement: string;
  readonly argument?: string;
  readonly results: readonly Result[];
}

interface Corpus {
  readonly commit: string;
  readonly date: string;
  readonly command: string;
  readonly machine: string;
  readonly codeBases: Readonly<Record<string, string>>;
  readonly kernels: readonly Kernel[];
  readonly notTranslated: readonly Readonly<Record<'codeBase' | 'entry' | 'code' | 'instruction' | 'place', string>>[];
}

interface Removals extends Pick<Corpus, 'commit' | 'date' | 'command' | 'machine'> {
  readonly kernels: readonly {
    readonly name: string;
    readonly removed: readonly Readonly<Record<'outcome' | 'change' | 'at' | 'instruction', string>>[];
  }[];
}

const outcomes = ['found', 'around', 'warned', 'model', 'redundant', 'unproven', 'hidden'] as const;

const here = (name: string) => new URL(name, import.meta.url);

/** The lines of a launch that its author wrote: neither empty, nor imports, nor comments. */
const linesOf = (name: string) =>
  readFileSync(here(`${name}.launch.ts`), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^import |^ *(\/\*\*|\*|\/\/)/.test(line)).length;

const each = (results: readonly Result[], of: (result: Result) => string | number | null) =>
  results.map((result) => of(result) ?? '-').join(', ');

function tables({ commit, date, command, machine, codeBases, kernels, notTranslated }: Corpus): string {
  const verdict = ({ verdict: found, proves }: Result) => (proves === undefined ? found : `${found} (${proves})`);
  const wrong = kernels.filter(({ argument }) => argument !== undefined);
  return [
    wrapped(`Commit ${commit}, ${date}, \`${command}\`, on a machine with ${machine}.`, ''),
    'Seconds are processor time of the whole command, and MiB its peak.',
    table(
      ['launch', 'entry', 'ranks', 'verdict', 'seconds', 'MiB', 'lines', 'judgement'],
      kernels.map(({ name, entry, results, judgement }) =>
        row(
          `\`${name}\``,
          `\`${entry}\``,
          each(results, ({ ranks }) => ranks),
          [...new Set(results.map(verdict))].join('; '),
          each(results, ({ seconds }) => seconds),
          each(results, ({ mebibytes }) => mebibytes),
          linesOf(name),
          judgement,
        ),
      ),
    ),
    '### Arguments',
    wrong.map(({ name, judgement, argument }) => wrapped(`- \`${name}\` (${judgement}): ${argument}.`)).join('\n'),
    '### Not translated',
    notTranslated.length === 0
      ? 'Every one of these kernels is translated.'
      : table(
          ['code base', 'entry', 'code', 'instruction', 'place'],
          notTranslated.map(({ codeBase, entry, code, instruction, place }) =>
            row(codeBase, `\`${entry}\``, code, `\`${instruction}\``, place),
          ),
        ),
    '### Code bases',
    table(
      ['code base', 'commit', 'compiled with'],
      Object.entries(codeBases).map(([name, version]) => {
        const compiled = new Set(kernels.filter((kernel) => kernel.codeBase === name).map((kernel) => kernel.compiled));
        return row(name, version, [...compiled].join('; '));
      }),
    ),
  ].join('\n\n');
}

function removalTable({ commit, date, command, machine, kernels }: Removals): string {
  const count = (all: Removals['kernels'], outcome: string) =>
    all.flatMap(({ removed }) => removed).filter((one) => one.outcome === outcome).length;
  return [
    wrapped(`Commit ${commit}, ${date}, \`${command}\`, on a machine with ${machine}.`, ''),
    table(
      ['launch', ...outcomes],
      [
        ...kernels.map((kernel) => row(`\`${kernel.name}\``, ...outcomes.map((one) => count([kernel], one)))),
        row('all', ...outcomes.map((one) => count(kernels, one))),
      ],
    ),
  ].join('\n\n');
}

const readme = readFileSync(here('README.md'), 'utf8');
const withResults = replaced(readme, 'results', tables(corpus satisfies Corpus));
writeFileSync(here('README.md'), replaced(withResults, 'removals', removalTable(removals satisfies Removals)));
