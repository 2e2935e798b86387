/**
 * Writes the tables of proofs.md from proofs.json:
 * `npx tsx --conditions=@nccl-ts/source write-proofs.ts`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { replaced, row, table, wrapped } from '../corpus/markdown.ts';
import { proofArguments, type ProofArgument } from './proof-arguments.ts';
import { keyOf, readProofs, type Measured } from './proof-results.ts';
import { proofRows, type ProofGroup, type ProofRow } from './proof-rows.ts';

interface Compared {
  readonly row: ProofRow;
  readonly before: Measured;
  readonly after: Measured;
}

/** The numbers of a group: removals count one by one, other programs as a whole. */
interface Tally {
  readonly rows: number;
  readonly before: number;
  readonly kept: number;
  readonly modelled: number;
  readonly lost: number;
  readonly gained: number;
}

/** The verdict of a results file, where the check of before was not repeated. */
function publishedIn({ published, check: { kind } }: ProofRow): Measured | undefined {
  if (published === undefined || kind === 'removals') return undefined;
  const proves = published === 'every schedule' ? 'all schedules' : 'portfolio';
  return { verdict: published === 'race' ? 'race' : 'clean', proves, isPublished: true };
}

const results = readProofs();
const compared: readonly Compared[] = proofRows.flatMap((one) => {
  const { before = publishedIn(one), after } = results.rows[keyOf(one)] ?? {};
  return before === undefined || after === undefined ? [] : [{ row: one, before, after }];
});
const missing = proofRows.filter((one) => !compared.some((other) => other.row === one));

const isRemoval = ({ row: { group } }: Compared): boolean => group === 'synchronisations removed';

/** A proof: of every schedule of machines, of every schedule of the model, or of neither. */
type Proven = 'every' | 'modelled' | 'none';

const provenOf = ({ verdict, proves }: Measured): Proven => {
  if (verdict !== 'clean') return 'none';
  return proves === 'all schedules' ? 'every' : proves === 'modelled schedules' ? 'modelled' : 'none';
};

/** The lines of the PTX with an outcome. */
const linesWith = (wanted: string, { outcomes = {} }: Measured): readonly string[] =>
  Object.entries(outcomes).flatMap(([line, outcome]) => (outcome === wanted ? [line] : []));

function tallyOf(one: Compared): Tally {
  if (isRemoval(one)) {
    const before = linesWith('redundant', one.before);
    const after = linesWith('redundant', one.after);
    const kept = before.filter((line) => after.includes(line)).length;
    const modelled = before.filter((line) => linesWith('modelled', one.after).includes(line)).length;
    const rows = Object.keys(one.after.outcomes ?? {}).length;
    const lost = before.length - kept - modelled;
    return { rows, before: before.length, kept, modelled, lost, gained: after.length - kept };
  }
  const [before, after] = [provenOf(one.before), provenOf(one.after)];
  const was = before === 'every';
  return {
    rows: 1,
    before: Number(was),
    kept: Number(was && after === 'every'),
    modelled: Number(was && after === 'modelled'),
    lost: Number(was && after === 'none'),
    gained: Number(!was && after !== 'none'),
  };
}

function total(all: readonly Tally[]): Tally {
  const sum = (field: keyof Tally): number => all.reduce((sums, one) => sums + one[field], 0);
  return {
    rows: sum('rows'),
    before: sum('before'),
    kept: sum('kept'),
    modelled: sum('modelled'),
    lost: sum('lost'),
    gained: sum('gained'),
  };
}

const groups: readonly ProofGroup[] = [...new Set(proofRows.map(({ group }) => group))];

const counted = (what: string, count: number): string => (count === 1 ? `1 ${what}` : `${count} ${what}s`);

function verdictText({ verdict, proves, schedules, patient, findings = [], outcomes, isPublished }: Measured): string {
  if (isPublished === true) return 'not repeated';
  if (outcomes !== undefined) {
    const all = Object.values(outcomes);
    return [...new Set(all)]
      .toSorted()
      .map((outcome) => `${all.filter((one) => one === outcome).length} ${outcome}`)
      .join(', ');
  }
  if (verdict === 'none') return 'no verdict';
  if (verdict === 'incomplete') return 'incomplete';
  const of =
    proves === 'all schedules'
      ? 'every schedule'
      : proves === 'modelled schedules'
        ? 'every modelled schedule'
        : schedules === undefined
          ? proves
          : counted('schedule', schedules);
  const [errors = 0, warnings = 0] = ['error', 'model'].map(
    (severity) => findings.filter((one) => one.startsWith(`${severity}[`)).length,
  );
  const found = [
    ...(errors > 0 ? [counted('error', errors)] : []),
    ...(warnings > 0 ? [counted('warning', warnings)] : []),
    ...(patient === true ? ['no early time-out'] : []),
  ];
  return [`${verdict}, ${of}`, ...found].join('; ');
}

/** The argument for a proof that is not kept. */
function argumentFor({ row: of }: Compared): ProofArgument {
  const key = keyOf(of);
  const argument = proofArguments.find((one) => one.of.some((part) => key.includes(part)));
  if (argument === undefined) throw new Error(`no argument for ${key}`);
  return argument;
}

function rowOf(one: Compared): string {
  const { row: of, before, after } = one;
  const { lost, modelled, gained } = tallyOf(one);
  const number = (count: number): string => (isRemoval(one) ? `${count} ` : '');
  const change = [
    ...(lost > 0 ? [`${number(lost)}lost`] : []),
    ...(modelled > 0 ? [`${number(modelled)}of the model`] : []),
    ...(gained > 0 ? [`${number(gained)}gained`] : []),
  ].join(', ');
  const reason = lost + modelled > 0 ? `: ${argumentFor(one).title}` : '';
  const cells = [of.name, of.ranks, ...(of.published === undefined ? [] : [of.published])];
  return row(...cells, verdictText(before), verdictText(after), `${change}${reason}`);
}

function groupTable(group: ProofGroup): string {
  const of = compared.filter((one) => one.row.group === group);
  const isPublished = of.some(({ row: { published } }) => published !== undefined);
  const head = ['program', 'ranks', ...(isPublished ? ['results file'] : []), 'before', 'after', 'proof'];
  return `### ${group}\n\n${table(head, of.map(rowOf))}`;
}

function summary(): string {
  const line = (name: string, of: readonly Compared[]): string => {
    const { rows, before, kept, modelled, lost, gained } = total(of.map(tallyOf));
    const share = before === 0 ? '-' : `${((100 * lost) / before).toFixed(0)} %`;
    return row(name, rows, before, kept, modelled, lost, share, gained);
  };
  const head = ['group', 'checks', 'proven before', 'kept', 'of the model', 'lost', 'lost of those before', 'gained'];
  const lines = groups.map((group) =>
    line(
      group,
      compared.filter((one) => one.row.group === group),
    ),
  );
  return table(head, [...lines, line('all', compared)]);
}

/** How the numbers of lost proofs compare with one in ten. */
function shares(): string {
  const { before, modelled, lost } = total(compared.map(tallyOf));
  const above = groups.filter((group) => {
    const of = total(compared.filter((one) => one.row.group === group).map(tallyOf));
    return 10 * of.lost > of.before;
  });
  const where = above.length === 0 ? 'in no group' : `in ${above.join(', ')}`;
  const strict = lost + modelled;
  return wrapped(
    `Of ${before} proofs, ${lost} are lost, which is ${((100 * lost) / before).toFixed(0)} %. More than one in ten is ` +
      `lost ${where}. If proofs of the model count as lost too, ${strict} are (${((100 * strict) / before).toFixed(0)} %).`,
    '',
  );
}

/** The arguments that a row names, in the order of the rows. */
function argumentList(): string {
  const unkept = compared.filter((one) => tallyOf(one).lost + tallyOf(one).modelled > 0);
  const named = new Set(unkept.map(argumentFor));
  return [...named].map(({ title, text }) => wrapped(`- **${title}.** ${text}`)).join('\n');
}

const { before, after } = results;
const measured = wrapped(
  `Before: commit ${before?.commit}, measured ${before?.date}. After: commit ${after?.commit}, ${after?.date}.`,
  '',
);
const notMeasured =
  missing.length === 0 ? [] : ['Not measured:', missing.map((one) => `- ${one.name} on ${one.ranks} ranks`).join('\n')];
const file = new URL('proofs.md', import.meta.url);
const withSummary = replaced(
  readFileSync(file, 'utf8'),
  'summary',
  [measured, summary(), shares(), ...notMeasured].join('\n\n'),
);
const withArguments = replaced(withSummary, 'arguments', argumentList());
writeFileSync(file, replaced(withArguments, 'tables', groups.map(groupTable).join('\n\n')));
