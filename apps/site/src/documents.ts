import { readdir, readFile } from 'node:fs/promises';
import { root } from './folders.ts';

/** A Markdown file of the repository, and its address in the site. */
export interface Document {
  readonly file: string;
  readonly url: string;
  readonly title: string;
  readonly section: string;
  readonly text: string;
}

const sections: Readonly<Record<string, string>> = {
  'docs/tutorial': 'Tutorial',
  'docs/how-to': 'How to',
  'docs/explanation': 'Explanation',
  docs: 'Guides',
  'docs/reference': 'Reference',
  'docs/museum': 'Museum',
  packages: 'Packages',
};

/** Finds the documents of the site by folder, so a new file needs no entry in a list. */
export async function readDocuments(): Promise<readonly Document[]> {
  const files: string[] = [];
  for (const folder of Object.keys(sections)) {
    if (folder === 'packages') continue;
    const entries = await readdir(`${root}${folder}`).catch(() => []);
    files.push(
      ...entries
        .filter((name) => name.endsWith('.md'))
        .toSorted()
        .map((name) => `${folder}/${name}`),
    );
  }
  const packages = (await readdir(`${root}packages`)).toSorted();
  const documents = await Promise.all(files.map(async (file) => documentOf(file)));
  const readmes = await Promise.all(packages.map(async (name) => documentOf(`packages/${name}/README.md`)));
  return [...documents, ...readmes];
}

async function documentOf(file: string): Promise<Document> {
  const text = await readFile(`${root}${file}`, 'utf8');
  const title = /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? file;
  const folder = file.startsWith('packages/') ? 'packages' : file.slice(0, file.lastIndexOf('/'));
  return { file, url: urlOf(file), title, section: sections[folder] ?? 'Guides', text };
}

/** The address of a Markdown file's page. */
export function urlOf(file: string): string {
  return file.replace(/README\.md$/, '').replace(/\.md$/, '/');
}
