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
  // Each of its ranks works alone, so the check has nothing to say about them together.
  { file: 'packages/communicator/README.md', has: '// ncclCommInitAll', verdict: 'incomplete' },
  { file: 'apps/cli/README.md', has: "name: 'twice'", not: 'the page passes no options of a launch' },
  { file: 'packages/backend-sim/README.md', has: 'rank ${comm.rank} of', not: 'it launches no kernel to check' },
];

/** The packages that the page cannot use because they drive hardware. */
const lacking = ['@nccl-ts/backend-webgpu', '@nccl-ts/webgpu-distributed', '@nccl-ts/backend-cuda', '@nccl-ts/vitest'];

export interface Embed {
  readonly ranks: number;
  readonly verdict: string;
}

/**
 * Turns every complete program with a kernel or a world into a runnable embed. It is expected to be
 * clean unless a row says otherwise. A fragment is only code.
 */
export function embedOf(file: string, code: string, language: string): Embed | undefined {
  if (!['ts', 'js', 'typescript', 'javascript'].includes(language)) return undefined;
  const row = rows.find((one) => one.file === file && code.includes(one.has));
  if (row?.not !== undefined) return undefined;
  const isHosted = code.includes('kernel(') && /export (?:async function|const) host\b/.test(code);
  const isWhole = code.includes('World.open(') && /backend: sim\(/.test(code);
  if (!isHosted && !isWhole) return undefined;
  const imported = [...code.matchAll(/^(?:import|\}) .*from '([^']+)'/gm)].map((one) => one[1] ?? '');
  if (imported.length === 0 || !imported.every(isOfThePage)) return undefined;
  const ranks = Number(/ranks: (\d+)/.exec(code)?.[1] ?? '4');
  return { ranks, verdict: row?.verdict ?? 'clean' };
}

function isOfThePage(specifier: string): boolean {
  return specifier === 'nccl-ts' || (specifier.startsWith('@nccl-ts/') && !lacking.includes(specifier));
}
