import { readFile } from 'node:fs/promises';
import type { KernelCase } from '../page/kernel-case.ts';
import { root } from './folders.ts';

/** The shapes that most kernels between GPUs have, in the order of the menu. */
const titles: Readonly<Record<string, string>> = {
  'flag-barrier': 'Barrier of flags',
  'one-shot': 'One-shot AllReduce',
  lamport: 'Lamport: the data is the flag',
  ll: 'LL: a flag beside each value',
  ring: 'Ring AllGather',
  'nvshmem-put-signal': 'NVSHMEM: put with signal',
};

/** Kernels to start from. Each is clean. */
export async function shapes(): Promise<readonly KernelCase[]> {
  return Promise.all(
    Object.entries(titles).map(async ([name, title]) => {
      const textOf = async (file: string): Promise<string> =>
        readFile(`${root}apps/examples/shapes/${name}/${file}`, 'utf8');
      return {
        name,
        title,
        ptx: await textOf('kernel.ptx'),
        cuda: await textOf('kernel.cu'),
        launch: await textOf('launch.ts'),
        verdict: 'clean',
      };
    }),
  );
}
