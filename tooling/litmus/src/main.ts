import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { suitesOf } from './expectations.ts';
import { answerOf, outcomeOf, type Outcome } from './judge-litmus.ts';
import { litmusPtx } from './litmus-ptx.ts';
import { parseLitmus } from './parse-litmus.ts';
import { reasons } from './reasons.ts';
import { summaryText, type SuiteResult } from './suite-result.ts';

const usage = `Usage: litmus FOLDER [OPTION ...]

Runs the litmus tests of PTX of a checkout of Dat3M (litmus/PTX, and their expected results in
dartagnan/src/test/resources) through PTX text and the graph engine, and compares.

  --only TEXT    the tests whose path contains the text; writes no results
  --show         prints the PTX of each of them
  --out FILE     the results (default: tooling/litmus/results/dat3m.json)`;

const { values, positionals } = parseArgs({
  options: {
    only: { type: 'string' },
    show: { type: 'boolean', default: false },
    out: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
  allowPositionals: true,
});
const [folder] = positionals;
if (values.help || folder === undefined) print(usage);
else await run(folder);

async function run(checkout: string): Promise<void> {
  const outcomes = new Map<string, Outcome>();
  const results: SuiteResult[] = [];
  for (const suite of suitesOf(checkout)) {
    const result: SuiteResult = { suite: suite.name, agreed: [], disagreed: [], notExpressible: [], open: [] };
    for (const { test, passes } of suite.expectations) {
      if (values.only !== undefined && !test.includes(values.only)) continue;
      const outcome = outcomes.get(test) ?? (await outcomeIn(checkout, test));
      outcomes.set(test, outcome);
      if (outcome.kind === 'not expressible') {
        result.notExpressible.push({ test, why: outcome.why });
        continue;
      }
      const answer = answerOf(suite, outcome);
      if (answer === passes) result.agreed.push(test);
      else if (answer === undefined) result.open.push({ test, why: 'not every execution was seen' });
      else {
        const why = reasons[test];
        const found = [...outcome.result.errors].toSorted();
        result.disagreed.push({ test, expected: passes, is: answer, found, why: why ?? 'NO REASON YET' });
        if (why === undefined) process.exitCode = 1;
      }
    }
    results.push(result);
    print(summaryText(result));
  }
  if (values.only !== undefined) return;
  const file = values.out ?? fileURLToPath(new URL('../results/dat3m.json', import.meta.url));
  const commits = { commit: commitOf('.'), dat3m: commitOf(checkout) };
  writeFileSync(
    file,
    `${JSON.stringify({ ...commits, date: new Date().toISOString().slice(0, 10), suites: results }, undefined, 2)}\n`,
  );
}

async function outcomeIn(checkout: string, test: string): Promise<Outcome> {
  const file = join(checkout, 'litmus/PTX', `${test}.litmus`);
  if (!existsSync(file)) return { kind: 'not expressible', why: 'the checkout does not have the file' };
  const text = readFileSync(file, 'utf8');
  if (values.show) print(`${test}\n${litmusPtx(parseLitmus(text)).text}`);
  return outcomeOf(text);
}

function commitOf(cwd: string): string {
  try {
    return execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return 'unknown';
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
