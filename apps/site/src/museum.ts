import { readdir, readFile } from 'node:fs/promises';
import { build } from 'esbuild';
import type { KernelCase } from '../page/kernel-case.ts';
import { root } from './folders.ts';

const folder = `${root}apps/examples/museum`;

/**
 * Every exhibit, in its broken and its fixed form. Its launch is one file, because a page cannot
 * load a second one.
 */
export async function museumCases(): Promise<readonly KernelCase[]> {
  const verdicts = verdictsOf(await readFile(`${root}docs/museum/README.md`, 'utf8'));
  const exhibits = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const cases: KernelCase[] = [];
  for (const { name } of exhibits) {
    const files = new Set(await readdir(`${folder}/${name}`));
    const document = await readFile(`${root}docs/museum/${name}.md`, 'utf8');
    const residentCtas = /--resident-ctas (\d+)/.exec(document)?.[1];
    for (const variant of ['broken', 'mended'] as const) {
      // If the mistake is in the launch, there is one kernel with two launches.
      const kernel = files.has(`${variant}.ptx`) ? variant : 'kernel';
      const launch = files.has(`${variant}.launch.ts`) ? `${variant}.launch.ts` : 'launch.ts';
      const found = verdicts.get(name);
      if (found === undefined) throw new Error(`docs/museum/README.md does not say what is found in ${name}.`);
      cases.push({
        name: `${name}/${variant}`,
        title: `${name.replaceAll('-', ' ')}: ${variant}`,
        ptx: await readFile(`${folder}/${name}/${kernel}.ptx`, 'utf8'),
        cuda: await readFile(`${folder}/${name}/${kernel}.cu`, 'utf8'),
        launch: await launchOf(`${folder}/${name}/${launch}`),
        ...(residentCtas === undefined ? {} : { residentCtas: Number(residentCtas) }),
        verdict: variant === 'broken' ? found : 'clean',
      });
    }
  }
  return cases;
}

/** The exhibit that a command in a museum document checks. */
export function exhibitOf(file: string, command: string): string | undefined {
  if (!file.startsWith('docs/museum/')) return undefined;
  return /^nccl-ts check apps\/examples\/museum\/([a-z-]+)\//m.exec(command)?.[1];
}

/** The column `found` of the table of exhibits, by page. */
function verdictsOf(readme: string): ReadonlyMap<string, string> {
  const rows = readme.matchAll(/^\| \[[^\]]+\]\(([a-z-]+)\.md\) \|.*\| (\w+) \|$/gm);
  return new Map([...rows].map(([, name = '', found = '']) => [name, found]));
}

/** The text of a launch, with its imported files inlined. */
async function launchOf(path: string): Promise<string> {
  const text = await readFile(path, 'utf8');
  if (!/from '\.\.?\//.test(text)) return text;
  const { outputFiles } = await build({
    entryPoints: [path],
    bundle: true,
    format: 'esm',
    packages: 'external',
    write: false,
    logLevel: 'warning',
  });
  return outputFiles[0]?.text ?? text;
}
