import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, posix } from 'node:path';
import { algorithmsBody, barrierBody, breakBody, litmusBody, playgroundBody, ptxBody } from './page-bodies.ts';
import type { Imported } from './bundle-scripts.ts';
import { dist } from './folders.ts';
import { linkProblems } from './link-problems.ts';
import { museumCases } from './museum.ts';
import { shapes } from './shapes.ts';
import { pageHtml } from './page-html.ts';
import { headersFile, pagePolicy } from './policies.ts';
import { searchEntries } from './search-entries.ts';

const apps = [
  {
    url: 'playground/',
    title: 'Playground',
    description: 'Write, run and check GPU kernels that communicate, in your browser.',
    body: playgroundBody,
    script: 'play',
  },
  {
    url: 'litmus/',
    title: 'Litmus tests',
    description: 'Every outcome that the memory model of PTX allows for a few accesses of a few threads.',
    body: litmusBody,
    script: 'litmus',
  },
  {
    url: 'break/',
    title: 'Break it',
    description: 'Ten programs to break and ten to repair, judged by a check.',
    body: breakBody,
    script: 'break',
  },
  {
    url: 'barrier/',
    title: 'A barrier taken apart',
    description: 'Inboxes and epochs of a barrier between ranks, step by step.',
    body: barrierBody,
    script: 'barrier',
  },
  {
    url: 'algorithms/',
    title: 'Four ways to sum',
    description: 'Four AllReduce algorithms as running code, with the bytes on each link and predicted times.',
    body: algorithmsBody,
    script: 'algorithms',
  },
  {
    url: 'ptx/',
    title: 'Check your CUDA kernel',
    description: 'Paste the PTX of a CUDA kernel, describe its launch, and check it for races and deadlocks.',
    body: ptxBody,
    script: 'ptx',
  },
] as const;

/**
 * Writes the pages with programs beside those that VitePress has rendered, and what all of them
 * need: the policy, the search's index, and the kernels of the museum and of the shapes.
 *
 * @throws Error if a link is broken
 */
export async function writePages(imported: Imported): Promise<{ readonly pages: number; readonly links: number }> {
  const pages = await renderedPages();
  for (const app of apps) {
    const preloads = new Set(['site', app.script].flatMap((script) => imported.get(script) ?? []));
    pages.set(app.url, pageHtml({ ...app, preloads: [...preloads] }));
  }
  const policy = pagePolicy(new Set([...pages.values()].flatMap(inlineScripts)));
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  for (const [url, html] of pages) {
    const file = url.endsWith('.html') ? url : `${url}index.html`;
    // A host that sends no headers still sends this.
    await write(
      file,
      html.replace('<meta charset="utf-8">', (charset) => charset + meta),
    );
  }
  await write('_headers', headersFile(policy));
  await write('assets/search.json', JSON.stringify(searchEntries(pages)));
  await write('assets/museum.json', JSON.stringify(await museumCases()));
  await write('assets/shapes.json', JSON.stringify(await shapes()));
  const { problems, links } = linkProblems(pages);
  if (problems.length > 0) throw new Error(`Links lead nowhere:\n${problems.join('\n')}`);
  return { pages: pages.size, links };
}

/** The HTML of the documents, by address. */
async function renderedPages(): Promise<Map<string, string>> {
  const names = await readdir(dist, { recursive: true });
  const pages = names.filter((name) => name.endsWith('.html'));
  return new Map(
    await Promise.all(
      pages.map(
        async (name) => [name.replace(/(^|\/)index\.html$/, '$1'), await readFile(`${dist}/${name}`, 'utf8')] as const,
      ),
    ),
  );
}

function inlineScripts(html: string): readonly string[] {
  return [...html.matchAll(/<script(?![^>]* src=)[^>]*>([\s\S]*?)<\/script>/g)].map(([, text = '']) => text);
}

async function write(path: string, text: string): Promise<void> {
  const file = posix.join(dist, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
