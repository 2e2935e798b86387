import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A test of pytest, and how it ended. */
export interface PytestCase {
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** The report of a failure, or the reason for a skip. */
  readonly text: string;
}

/** Reads JUnit's XML with Python, and prints a line of JSON for each case. */
const reader = `
import json, sys, xml.etree.ElementTree as tree
for case in tree.parse(sys.argv[1]).getroot().iter("testcase"):
    parts = {part.tag: part for part in case}
    wrong = parts.get("failure", parts.get("error"))
    skipped = parts.get("skipped")
    outcome = "failed" if wrong is not None else "skipped" if skipped is not None else "passed"
    text = (wrong.text or wrong.get("message")) if wrong is not None else skipped.get("message") if skipped is not None else ""
    name = case.get("classname").rpartition(".")[2] + ": " + case.get("name")
    print(json.dumps({"name": name, "outcome": outcome, "text": text}))
`;

/**
 * Runs the tests of a folder with pytest.
 *
 * @throws Error if pytest could not run them.
 */
export function pytestCases(python: string, folder: string, words: readonly string[] = []): readonly PytestCase[] {
  const into = mkdtempSync(join(tmpdir(), 'nccl-ts-pytest-'));
  try {
    const junit = join(into, 'junit.xml');
    const env = {
      ...process.env,
      PYTHONDONTWRITEBYTECODE: '1',
      GITHUB_ACTIONS: 'false',
      // A kernel that was compiled in another folder, from the same text, has that one's paths.
      XDG_CACHE_HOME: join(into, 'cache'),
    };
    const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', `--junitxml=${junit}`, ...words, '.'];
    const { stdout, stderr } = spawnSync(python, args, { cwd: folder, env, encoding: 'utf8', maxBuffer: 2 ** 28 });
    const read = spawnSync(python, ['-c', reader, junit], { encoding: 'utf8', maxBuffer: 2 ** 28 });
    if (read.status !== 0) throw new Error(`pytest wrote no report: ${stdout}${stderr}`);
    return read.stdout
      .trim()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => caseOf(JSON.parse(line)));
  } finally {
    rmSync(into, { recursive: true, force: true });
  }
}

function caseOf(value: unknown): PytestCase {
  const field = (name: string): unknown =>
    typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  const outcome = field('outcome');
  return {
    name: String(field('name')),
    outcome: outcome === 'passed' || outcome === 'skipped' ? outcome : 'failed',
    text: String(field('text')),
  };
}
