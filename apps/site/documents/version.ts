import { manifestOf } from '../src/manifest.ts';

/** The version of all packages. */
export const version = `v${manifestOf('nccl-ts').version}`;
