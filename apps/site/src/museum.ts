import { readdir, readFile } from 'node:fs/promises';
import { root } from './folders.ts';

/** A kernel of the museum, as the page for PTX shows it. */
export interface MuseumCase {
  readonly name: string;
  readonly title: string;
  readonly ptx: string;
  readonly cuda: string;
  readonly launch: string;
}

/** The cases whose launch is one file: a page has no file beside it. */
export async function museumCases(): Promise<readonly MuseumCase[]> {
  const folder = `${root}apps/examples/museum`;
  const cases: MuseumCase[] = [];
  for (const { name } of (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory())) {
    const launch = await readFile(`${folder}/${name}/launch.ts`, 'utf8').catch(() => undefined);
    if (launch === undefined || /from '\.\.?\//.test(launch)) continue;
    for (const variant of ['broken', 'mended']) {
      const ptx = await readFile(`${folder}/${name}/${variant}.ptx`, 'utf8');
      const cuda = await readFile(`${folder}/${name}/${variant}.cu`, 'utf8');
      cases.push({ name: `${name}/${variant}`, title: `${name.replaceAll('-', ' ')}: ${variant}`, ptx, cuda, launch });
    }
  }
  return cases;
}
