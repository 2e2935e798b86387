import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, posix } from 'node:path';
import type { Imported } from './bundle-scripts.ts';
import { readDocuments, type Document } from './documents.ts';
import { dist, root } from './folders.ts';
import { highlighted } from './highlight.ts';
import { linkProblems } from './link-problems.ts';
import { renderMarkdown } from './markdown.ts';
import { museumCases } from './museum.ts';
import { pageHtml, type Page } from './page-html.ts';
import {
  algorithmsBody,
  barrierBody,
  breakBody,
  homeBody,
  litmusBody,
  playgroundBody,
  ptxBody,
} from './page-bodies.ts';
import { headersFile } from './policies.ts';

/** Writes every page. @throws Error if a link is broken */
export async function writePages(imported: Imported): Promise<{ readonly pages: number; readonly links: number }> {
  const documents = await readDocuments();
  const known = new Set(documents.map(({ file }) => file));
  const pages: Page[] = [];
  const filesOf = (...scripts: readonly string[]): readonly string[] => [
    ...new Set(['site', ...scripts].flatMap((script) => imported.get(script) ?? [])),
  ];
  const search: { title: string; url: string; text: string }[] = [];
  for (const document of documents) {
    const base = '../'.repeat(document.url.split('/').length - 1);
    const { html, headings } = renderMarkdown(document.file, document.text, known, base);
    const api = document.section === 'Packages' ? await apiReport(document) : '';
    pages.push({
      url: document.url,
      title: document.title,
      body: html + api,
      documents,
      headings,
      kind: 'document',
      preloads: filesOf(),
    });
    search.push({
      title: document.title,
      url: document.url,
      text: document.text.toLowerCase().replaceAll(/\s+/g, ' ').slice(0, 6000),
    });
  }
  const cases = await museumCases();
  const apps = [
    { url: 'playground/', title: 'Playground', body: playgroundBody, script: 'play' },
    { url: 'litmus/', title: 'Litmus tests', body: litmusBody, script: 'litmus' },
    { url: 'break/', title: 'Break it', body: breakBody, script: 'break' },
    { url: 'barrier/', title: 'A barrier taken apart', body: barrierBody, script: 'barrier' },
    { url: 'algorithms/', title: 'Four ways to sum', body: algorithmsBody, script: 'algorithms' },
    { url: 'ptx/', title: 'Check PTX', body: ptxBody, script: 'ptx' },
  ];
  pages.push({
    url: '',
    title: 'nccl-ts',
    body: await homeBody(),
    documents,
    headings: [],
    kind: 'home',
    preloads: filesOf(),
  });
  pages.push(
    ...apps.map((app) => ({ ...app, documents, headings: [], kind: 'app' as const, preloads: filesOf(app.script) })),
  );
  for (const page of pages) await write(`${page.url}index.html`, pageHtml(page));
  await write('assets/search.json', JSON.stringify(search));
  await write('assets/museum.json', JSON.stringify(cases));
  await write('_headers', headersFile());
  for (const name of await readdir(`${root}docs`)) {
    if (name.endsWith('.svg')) await copy(`docs/${name}`);
  }
  const { problems, links } = linkProblems(new Map(pages.map((page) => [page.url, pageHtml(page)])));
  if (problems.length > 0) throw new Error(`Links lead nowhere:\n${problems.join('\n')}`);
  return { pages: pages.length, links };
}

/** The public interface of a package, from its committed report. */
async function apiReport({ file }: Document): Promise<string> {
  const folder = `${root}${dirname(file)}/etc`;
  const names = await readdir(folder).catch(() => []);
  const parts = await Promise.all(
    names
      .filter((name) => name.endsWith('.api.md'))
      .map(async (name) => {
        const text = await readFile(`${folder}/${name}`, 'utf8');
        const code = /```ts\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
        return `<pre tabindex="0"><code>${highlighted(code.trim(), 'ts')}</code></pre>`;
      }),
  );
  return parts.length === 0 ? '' : `<h2 id="public-interface">Public interface</h2>\n${parts.join('\n')}`;
}

async function write(path: string, text: string): Promise<void> {
  const file = posix.join(dist, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

async function copy(path: string): Promise<void> {
  await mkdir(dirname(`${dist}/files/${path}`), { recursive: true });
  await cp(`${root}${path}`, `${dist}/files/${path}`);
}
