/**
 * Checks the programs of proof-rows.ts with one checkout, and keeps the verdicts in proofs.json.
 *
 *     npx tsx --conditions=@nccl-ts/source measure-proofs.ts SIDE CHECKOUT KERNELS [NAME ...]
 *
 * SIDE is `before` or `after`. CHECKOUT is a built checkout of this repository, and KERNELS a
 * folder with the PTX of the public kernels. With names, only the programs whose group and name
 * contain one of them are checked.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CheckReportJson, FindingJson } from '@nccl-ts/findings';
import { keyOf, readProofs, writeProofs, type Measured } from './proof-results.ts';
import { proofRows, type ProofCheck } from './proof-rows.ts';

const [side, checkout = '', kernels = '', ...names] = process.argv.slice(2);
if (side !== 'before' && side !== 'after') throw new Error('usage: measure-proofs.ts before|after CHECKOUT KERNELS');

const here = new URL('.', import.meta.url).pathname;
const cli = join(checkout, 'apps/cli/bin/nccl-ts.js');
/** The limit of a check. Without it, today's command ends after two minutes, on any machine. */
const MOST_SECONDS = 900;
const limit = ['--time', String(MOST_SECONDS)] as const;

/** Runs in the checkout's package of examples. `check` has moved to a package of its own. */
const exampleProgram = `
const { check } = await import('@nccl-ts/checker').catch(() => import('@nccl-ts/backend-sim'));
const { reportToJson } = await import('@nccl-ts/findings');
const { allExamples } = await import('./dist/seeds/all-examples.js');
const [name, ranks, lsaSize] = process.argv.slice(1);
const example = allExamples.find((one) => one.name === name);
const machine = { ranks: Number(ranks), lsaSize: Number(lsaSize), multimem: true };
const report = await check(machine, async (backend) => {
  if (!(await example.small({ backend, print: () => {} }))) throw new Error('wrong result');
});
console.log(JSON.stringify(reportToJson(report)));
`;

/** The folder in which a launch runs: the edited launch, its helpers, and its PTX. */
function folderOf({ launch, ptx, edits = [] }: Extract<ProofCheck, { ptx: string }>): string {
  const folder = mkdtempSync(join(tmpdir(), 'proofs-'));
  for (const file of readdirSync(here)) {
    if (file.endsWith('-params.ts')) copyFileSync(join(here, file), join(folder, file));
  }
  let text = readFileSync(join(here, `${launch}.launch.ts`), 'utf8');
  for (const [from, to] of edits) {
    if (!text.includes(from)) throw new Error(`${launch} has no ${from}`);
    text = text.replaceAll(from, to);
  }
  writeFileSync(join(folder, 'launch.ts'), text);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  symlinkSync(join(checkout, 'apps/examples/node_modules'), join(folder, 'node_modules'));
  copyFileSync(join(kernels, ptx), join(folder, ptx));
  return folder;
}

function outputOf(check: ProofCheck): string {
  const run = (cwd: string, args: readonly string[]): string => {
    const options = { cwd, encoding: 'utf8', timeout: 1100 * MOST_SECONDS, maxBuffer: 2 ** 28 } as const;
    const { stdout, stderr } = spawnSync(process.execPath, args, options);
    return stdout.startsWith('{') ? stdout : `none: ${stderr.slice(-400)}`;
  };
  switch (check.kind) {
    case 'command':
      return run(checkout, [cli, 'check', ...check.args, ...limit, '--json']);
    case 'example': {
      const { example, ranks, lsaSize } = check;
      const args = ['--input-type=module', '-e', exampleProgram, example, String(ranks), String(lsaSize)];
      return run(join(checkout, 'apps/examples'), args);
    }
    case 'launch': {
      const { ptx, args = [] } = check;
      return run(folderOf(check), [cli, 'check', ptx, '--harness', 'launch.ts', ...args, ...limit, '--json']);
    }
    case 'removals': {
      const { ptx, args = [] } = check;
      const folder = folderOf(check);
      const script = join(checkout, 'apps/examples/acceptance/remove-synchronisations.ts');
      const files = [join(folder, ptx), join(folder, 'launch.ts'), '--most', '40', ...args];
      const command = ['tsx', '--conditions=@nccl-ts/source', script, ...files];
      const cwd = join(checkout, 'apps/examples/acceptance');
      return spawnSync('npx', command, { cwd, encoding: 'utf8', timeout: 4000 * MOST_SECONDS }).stdout;
    }
  }
}

/**
 * The outcome of each removal, by its line of the PTX. If the schedules of the model are clean, and
 * machines may have others, `unproven` becomes `modelled`.
 */
function removedOf(output: string): Measured {
  const found = [...output.matchAll(/^([a-z]+): (.*?), line (\d+).*\n *([^,]*)/gm)];
  const outcomes = Object.fromEntries(
    found.map(([, outcome = '', change, line, verdict]) => [
      `${line}: ${change}`,
      outcome === 'unproven' && verdict === 'clean (modelled schedules)' ? 'modelled' : outcome,
    ]),
  );
  const redundant = Object.values(outcomes).filter((outcome) => outcome === 'redundant');
  return { verdict: 'removals', proves: `${redundant.length} redundant`, outcomes };
}

/** A report of either checkout: earlier ones do not name approximations. */
type AnyReport = Omit<CheckReportJson, 'approximations'> & Partial<Pick<CheckReportJson, 'approximations'>>;

function isReport(value: unknown): value is AnyReport {
  return typeof value === 'object' && value !== null && 'format' in value && value.format === 'nccl-ts/check-report';
}

/** The part of a report that is kept. */
function measuredOf(output: string): Measured {
  if (!output.startsWith('{')) return { verdict: 'none', proves: output.trim().split('\n').at(-1) ?? '' };
  const report: unknown = JSON.parse(output);
  if (!isReport(report)) throw new TypeError(`no report of a check: ${output.slice(0, 80)}`);
  const { verdict, proves, findings, approximations = [] } = report;
  return {
    verdict,
    proves: proves.kind,
    ...(proves.kind === 'portfolio' ? { schedules: proves.parts.reduce((sum, part) => sum + part.count, 0) } : {}),
    ...('patient' in proves ? { patient: true } : {}),
    findings: findings.map(findingText),
    ...(approximations.length > 0 ? { approximations: approximations.map(({ how }) => how) } : {}),
  };
}

function findingText({ severity, kind, message, labels }: FindingJson): string {
  const places = labels.flatMap(({ place }) =>
    place?.file === undefined ? [] : [`${place.file.split('/').at(-1)}:${place.line}`],
  );
  return `${severity}[${kind}] ${message} @ ${places.join(' / ')}`;
}

/** The last commit that changed the checker, or a part of it. */
const commit = execFileSync('git', ['log', '-1', '--format=%h', '--', 'packages', 'apps/cli'], {
  cwd: checkout,
  encoding: 'utf8',
}).trim();
const measuredAt = { commit, date: new Date().toISOString().slice(0, 10) };
for (const row of proofRows) {
  const key = keyOf(row);
  if (names.length > 0 && !names.some((name) => key.includes(name))) continue;
  const { check } = row;
  if ('ptx' in check && !existsSync(join(kernels, check.ptx))) {
    console.log(`${key}: no ${check.ptx}`);
    continue;
  }
  const began = performance.now();
  const output = outputOf(check);
  const measured = check.kind === 'removals' ? removedOf(output) : measuredOf(output);
  // Another run may have written meanwhile.
  const newest = readProofs();
  newest[side] = measuredAt;
  newest.rows[key] = { ...newest.rows[key], [side]: measured };
  writeProofs(newest);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`${key}: ${measured.verdict}, ${measured.proves} ${measured.schedules ?? ''} ${seconds} s`);
}
