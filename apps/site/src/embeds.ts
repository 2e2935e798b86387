/** An exception for a program of a document: its verdict, or the reason why it does not run. */
interface EmbedRow {
  readonly file: string;
  /** A part of the program that no other of the file has. */
  readonly has: string;
  readonly verdict?: string;
  /** Why the page cannot run it. */
  readonly not?: string;
}

const rows: readonly EmbedRow[] = [
  { file: 'docs/how-to/debug-a-deadlock.md', has: 'the last rank has no next one', verdict: 'race' },
];

/** The packages that the page has no use for: they drive hardware. */
const lacking = ['@nccl-ts/backend-webgpu', '@nccl-ts/backend-cuda', '@nccl-ts/vitest'];

export interface Embed {
  readonly ranks: number;
  readonly verdict: string;
}

/**
 * Every complete program with a kernel or a world is an embed that runs, and is expected to be
 * clean unless a row says otherwise. A fragment is code alone.
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
