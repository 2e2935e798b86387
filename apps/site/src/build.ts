/** Builds the site into `dist`: `pnpm --filter @nccl-ts/site build`. */
import { mkdir } from 'node:fs/promises';
import { bundleScripts } from './bundle-scripts.ts';
import { dist } from './folders.ts';
import { installOwn } from './install-own.ts';
import { renderDocuments } from './render-documents.ts';
import { stageDocuments } from './stage-documents.ts';
import { buildDeclarations, writeTypes } from './write-types.ts';
import { writePages } from './write-pages.ts';

const started = Date.now();
installOwn();
buildDeclarations();
await stageDocuments();
await renderDocuments();
await mkdir(`${dist}/assets`, { recursive: true });
const imported = await bundleScripts();
await writeTypes();
const { pages, links } = await writePages(imported);
console.log(`${pages} pages with ${links} valid links, in ${((Date.now() - started) / 1000).toFixed(1)} s`);
