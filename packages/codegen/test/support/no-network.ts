import type { NetworkPort } from '../../src/program/program.ts';

function none(): never {
  throw new Error('this machine has no network');
}

/** For kernels that do not use the network. */
export const noNetwork: NetworkPort = {
  post: none,
  acquire: none,
  reset: none,
  checkListed: none,
  release: none,
  deliver: none,
  fence: none,
};
