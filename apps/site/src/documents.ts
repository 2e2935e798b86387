import { readdir, readFile } from 'node:fs/promises';
import { root } from './folders.ts';

/** A Markdown file of the repository, and its address in the site. */
export interface Document {
  readonly file: string;
  readonly url: string;
  readonly title: string;
  readonly section: string;
  readonly text: string;
  /** The address of its API page, if it is a package. */
  readonly api?: string;
}

const sections: Readonly<Record<string, string>> = {
  'docs/tutorial': 'Tutorial',
  'docs/how-to': 'How to',
  'docs/explanation': 'Explanation',
  docs: 'Guides',
  'docs/reference': 'Reference',
  'docs/museum': 'Museum',
  packages: 'Packages',
  '': 'Project',
};

/** The table of NCCL's names, which the build makes from doc comments. */
export const ncclNamesUrl = 'docs/reference/nccl-names/';

/** The list of all packages, which the build makes of their manifests. */
export const packagesUrl = 'packages/';

/** Documents outside of those folders, with their sections and shorter titles. */
const others: Readonly<Record<string, { readonly section: string; readonly title?: string }>> = {
  'apps/cli/README.md': { section: 'Reference', title: 'The command line' },
  'ARCHITECTURE.md': { section: 'Project' },
  'packages/nccl-ts/CHANGELOG.md': { section: 'Project', title: 'Changelog' },
};

/** Finds the documents of the site by folder, so a new file needs no entry in a list. */
export async function readDocuments(): Promise<readonly Document[]> {
  const files: string[] = [];
  for (const folder of Object.keys(sections)) {
    if (folder === 'packages' || folder === '') continue;
    const entries = await readdir(`${root}${folder}`).catch(() => []);
    files.push(
      ...entries
        .filter((name) => name.endsWith('.md'))
        .toSorted()
        .map((name) => `${folder}/${name}`),
    );
  }
  const packages = (await readdir(`${root}packages`)).toSorted().map((name) => `packages/${name}/README.md`);
  const documents = await Promise.all(
    [...files, ...packages, ...Object.keys(others)].map(async (file) => documentOf(file)),
  );
  const order = Object.values(sections);
  return documents.toSorted((a, b) => order.indexOf(a.section) - order.indexOf(b.section));
}

async function documentOf(file: string): Promise<Document> {
  const text = await readFile(`${root}${file}`, 'utf8');
  const title = /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? file;
  const url = urlOf(file);
  if (others[file] !== undefined) return { file, url, title, text, ...others[file] };
  if (file.startsWith('packages/')) return { file, url, title, section: 'Packages', text, api: `${url}api/` };
  return { file, url, title, section: sections[file.slice(0, file.lastIndexOf('/'))] ?? 'Guides', text };
}

/** The address of a Markdown file's page. */
export function urlOf(file: string): string {
  return file.replace(/README\.md$/, '').replace(/\.md$/, '/');
}
