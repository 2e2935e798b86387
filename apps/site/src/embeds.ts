import { embedHosts } from './embed-hosts.ts';

/**
 * An exception for a program of a document: either its verdict, or the reason why it does not run.
 */
interface EmbedRow {
  readonly file: string;
  /** A part of the program that occurs in no other program of the file. */
  readonly has: string;
  readonly verdict?: string;
  /** The reason why the page cannot run it. */
  readonly not?: string;
}

const rows: readonly EmbedRow[] = [
  { file: 'docs/how-to/debug-a-deadlock.md', has: 'the last rank has no next one', verdict: 'race' },
  // In these, each rank works alone, so the check has nothing to say about the ranks together.
  { file: 'packages/communicator/README.md', has: '// ncclCommInitAll', verdict: 'incomplete' },
  { file: 'apps/cli/README.md', has: "name: 'twice'", verdict: 'incomplete' },
  { file: 'packages/devcomm/README.md', has: "name: 'example'", verdict: 'incomplete' },
  { file: 'packages/backend-sim/README.md', has: 'rank ${comm.rank} of', not: 'it launches no kernel to check' },
  { file: 'docs/how-to/run-in-a-page.md', has: 'webgpu(', not: 'it is the script of a page of its own' },
  { file: 'packages/conformance/README.md', has: "name: 'increment'", not: 'the conformance suite launches it' },
  { file: 'packages/vitest/README.md', has: "name: 'toNext'", not: 'vitest runs it' },
];

/** The packages that the page cannot use because they drive hardware. */
const lacking = ['@nccl-ts/backend-webgpu', '@nccl-ts/webgpu-distributed', '@nccl-ts/backend-cuda', '@nccl-ts/vitest'];

/** Its programs are parts that show a mistake and its repair. */
const SNIPPETS = 'docs/reference/codes.md';

export interface Embed {
  readonly ranks: number;
  readonly verdict: string;
  /** The host program, if the document's text has none. */
  readonly host?: string;
}

/**
 * Turns every program with a kernel or a world into a runnable embed. It is expected to be clean
 * unless a row says otherwise. A fragment without a kernel is only code.
 *
 * @throws Error if a kernel has neither a host program nor a reason
 */
export function embedOf(file: string, code: string, language: string): Embed | undefined {
  if (!['ts', 'js', 'typescript', 'javascript'].includes(language)) return undefined;
  const row = rows.find((one) => one.file === file && code.includes(one.has));
  if (row?.not !== undefined) return undefined;
  const isKernel = /\bkernel\(/.test(code);
  const { host, ranks: own } =
    embedHosts.find((one) => one.file === file && code.includes(`const ${one.kernel} = kernel(`)) ?? {};
  const isHosted = isKernel && (host !== undefined || /export (?:async function|const) host\b/.test(code));
  const isWhole = code.includes('World.open(') && /backend: sim\(/.test(code);
  const imported = [...code.matchAll(/^(?:import|\}) .*from '([^']+)'/gm)].map((one) => one[1] ?? '');
  if ((isHosted || isWhole) && imported.length > 0 && imported.every(isOfThePage)) {
    const ranks = own ?? Number(/ranks: (\d+)/.exec(code)?.[1] ?? '4');
    return { ranks, verdict: row?.verdict ?? 'clean', ...(host === undefined ? {} : { host }) };
  }
  if (!isKernel || file === SNIPPETS) return undefined;
  throw new Error(
    `${file} has a kernel that no reader can run: give it a host in src/embed-hosts.ts, or the reason in src/embeds.ts.`,
  );
}

function isOfThePage(specifier: string): boolean {
  return specifier === 'nccl-ts' || (specifier.startsWith('@nccl-ts/') && !lacking.includes(specifier));
}
