import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const root = fileURLToPath(new URL('../../../', import.meta.url));
export const site = fileURLToPath(new URL('../', import.meta.url));
/** The folder of the packages that only the site needs. */
export const own = `${site}own`;
/** The finished site. */
export const dist = `${site}dist/site`;
/** The Markdown that VitePress renders. */
export const staged = `${site}dist/documents`;
/** The documents as VitePress has rendered them. */
export const rendered = `${site}dist/rendered`;

/** The path of the site on its host. `serve` has it at the root. */
export const siteBase = process.env['SITE_BASE'] ?? '/';
