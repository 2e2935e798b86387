import { createRequire } from 'node:module';
import { own } from '../../src/folders.ts';

/** The site's own TypeScript: the repository's has no API for programs. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is that package
export const ts = createRequire(`${own}/package.json`)('typescript') as typeof import('typescript');
