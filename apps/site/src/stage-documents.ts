import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ncclNamesUrl, packagesUrl, readDocuments } from './documents.ts';
import { root, site, siteBase, staged } from './folders.ts';
import { manifestOf } from './manifest.ts';
import { landingFrontmatter, landingText } from './landing-page.ts';

/**
 * Writes the Markdown that VitePress renders, each page under its address. VitePress's own folder
 * there only refers to `documents`, which has its settings.
 */
export async function stageDocuments(): Promise<void> {
  await rm(staged, { recursive: true, force: true });
  const api = await apiPages();
  for (const { file, url, title, text, api: apiUrl } of await readDocuments()) {
    const reference =
      apiUrl === undefined ? '' : `\n## Public interface\n\n[Every symbol that this package exports](/${apiUrl})`;
    await write(
      `${url}index.md`,
      page({ file, title, description: descriptionOf(text), ...settings[file] }, text + reference),
    );
    if (apiUrl === undefined) continue;
    const folder = url.split('/')[1] ?? '';
    const description = `Signatures, descriptions and NCCL names of what ${title} exports.`;
    const named = { file: `packages/${folder}/src/index.ts`, title: `${title} API`, description, outline: [2, 2] };
    await write(`${apiUrl}index.md`, page(named, based(api.packages.get(folder) ?? '')));
  }
  const names = {
    title: 'From NCCL to nccl-ts',
    description: 'The counterpart of each name of NCCL.',
    editLink: false,
    pageClass: 'nccl-names',
  };
  await write(`${ncclNamesUrl}index.md`, page(names, api.ncclNames));
  const all = { title: 'Packages', description: 'All packages of nccl-ts, with what each is for.', editLink: false };
  await write(`${packagesUrl}index.md`, page(all, await packagesText()));
  await write('index.md', page(landingFrontmatter, based(landingText())));
  await write('.vitepress/config.ts', `export { default } from '${site}documents/config.ts';\n`);
  await write('.vitepress/theme/index.ts', `export { default } from '${site}documents/theme.ts';\n`);
  for (const name of await readdir(`${root}docs`, { recursive: true })) {
    if (name.endsWith('.svg')) await cp(`${root}docs/${name}`, `${staged}/public/files/docs/${name}`);
  }
}

/** A table of the packages, with their manifests' descriptions. */
async function packagesText(): Promise<string> {
  const rows = (await readdir(`${root}packages`)).toSorted().map((folder) => {
    const { name, description } = manifestOf(folder);
    return `| [\`${name}\`](/packages/${folder}/) | ${description} | [API](/packages/${folder}/api/) |`;
  });
  return `# Packages\n\n\`nccl-ts\` has the usual ones. Install others for what they add.\n\n| package | purpose | symbols |\n| --- | --- | --- |\n${rows.join('\n')}\n`;
}

/** The list of codes has too many for the contents beside it. */
const settings: Readonly<Record<string, object>> = { 'docs/reference/codes.md': { outline: [2, 2] } };

interface ApiPages {
  readonly packages: ReadonlyMap<string, string>;
  readonly ncclNames: string;
}

/** The pages come from the site's own TypeScript, whose types the workspace does not have. */
async function apiPages(): Promise<ApiPages> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its own types are those of TypeScript 6
  const module = (await import(pathToFileURL(`${site}documents/api/api-page.ts`).href)) as {
    readonly apiPages: () => ApiPages;
  };
  return module.apiPages();
}

function page(frontmatter: object, text: string): string {
  return `---\n${JSON.stringify(frontmatter)}\n---\n${text}`;
}

/** Adds the base to links in HTML. VitePress does so for those in Markdown. */
function based(text: string): string {
  return text.replaceAll('href="/', `href="${siteBase}`);
}

/** The first paragraph, as plain text, for search engines and previews of links. */
function descriptionOf(text: string): string {
  const [paragraph = ''] = text.split(/\n{2,}/).filter((part) => /^[\p{L}"`_[(]/u.test(part));
  const plain = paragraph
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`_*]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return plain.length <= 160 ? plain : `${plain.slice(0, plain.lastIndexOf(' ', 157))} …`;
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(`${staged}/${path}`), { recursive: true });
  await writeFile(`${staged}/${path}`, text);
}
