import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dist, own, rendered, site, siteBase, staged } from './folders.ts';

interface VitePress {
  readonly build: (root: string) => Promise<void>;
}

/**
 * Renders the staged documents with VitePress, which only the site's own packages have, and begins
 * the site with them. Documents that have not changed since the last build are not rendered again.
 */
export async function renderDocuments(): Promise<void> {
  const stamp = `${rendered}.stamp`;
  const wanted = await fingerprint();
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
    await rm(stamp, { force: true });
    // Its types are those of a package that the workspace does not have.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the workspace lacks its types
    const { build } = (await import(`${own}/node_modules/vitepress/dist/node/index.js`)) as VitePress;
    await build(staged);
    await writeFile(stamp, wanted);
  }
  await rm(dist, { recursive: true, force: true });
  await cp(rendered, dist, { recursive: true });
}

/** The files of this folder that the Markdown rules and the settings import. */
const rules = [
  'documents.ts',
  'embeds.ts',
  'embed-hosts.ts',
  'escape-html.ts',
  'folders.ts',
  'manifest.ts',
  'museum.ts',
] as const;

/** Of everything that VitePress reads. */
async function fingerprint(): Promise<string> {
  const hash = createHash('sha256').update(siteBase);
  for (const folder of [staged, `${site}documents`, `${site}search`]) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => `${parentPath}/${name}`);
    for (const file of files.toSorted()) hash.update(file).update(await readFile(file));
  }
  for (const file of [...rules.map((name) => `${site}src/${name}`), `${own}/pnpm-lock.yaml`]) {
    hash.update(await readFile(file));
  }
  return hash.digest('hex');
}
