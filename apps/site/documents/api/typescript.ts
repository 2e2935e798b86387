import { createRequire } from 'node:module';
import { own } from '../../src/folders.ts';

/** The site's own TypeScript: the repository's has no API for programs. */
export const ts = createRequire(`${own}/package.json`)('typescript') as typeof import('typescript');
