import { getLsaDevicePointer, World } from '@nccl-ts/communicator';
import { importKernel, parsePtx } from '@nccl-ts/ptx';
import type { BulkProgram } from './bulk-program.ts';
import { bulkText, KEPT } from './bulk-text.ts';
import type { Run } from './load-program.ts';

/** The ranks of a program with bulk copies. */
export const BULK_RANKS = 2;

const LINES = 8;

/** Translates a program's text. @throws the diagnostics of what is not supported. */
export function loadBulk(program: BulkProgram): Run {
  const { module, diagnostics } = parsePtx(bulkText(program), 'bulk.ptx');
  if (module === undefined) throw new TypeError(diagnostics.map(({ message }) => message).join('\n'));
  const { kernel, params } = importKernel(module, { entry: 'bulk' });
  return async (backend) => {
    const world = await World.open({ backend });
    try {
      const read = await world.run(async (comm) => {
        const lines = await comm.allocWindow('u32', LINES);
        await lines.write(new Uint32Array(LINES).fill(8));
        const flag = await comm.allocWindow('u32', 1);
        const kept = await comm.allocWindow('u32', KEPT);
        const at = (window: typeof lines, rank: number): bigint =>
          BigInt(getLsaDevicePointer(window, 0, rank)?.address ?? 0);
        const given = [at(lines, 1), at(flag, 1), at(kept, comm.rank), comm.rank];
        const args = Object.fromEntries(params.map(({ name }, index) => [name, given[index] ?? 0]));
        await comm.launch(kernel, { grid: 1, block: 1 }, args);
        await comm.synchronize();
        return [...(await kept.read())].filter((value) => value > 0).join();
      });
      return read.join(' | ');
    } finally {
      await world.close();
    }
  };
}
