import { getLsaDevicePointer, World, type Window } from '@nccl-ts/communicator';
import { at } from '@nccl-ts/core';
import { importKernel, parsePtx } from '@nccl-ts/ptx';
import type { BulkProgram } from './bulk-program.ts';
import { bulkText, KEPT } from './bulk-text.ts';
import type { RunProgram } from './load-program.ts';

/** The ranks of a program with bulk copies. */
export const BULK_RANKS = 2;

const LINES = 8;

/** Translates a program's text. @throws the diagnostics of unsupported features. */
export function loadBulk(program: BulkProgram): RunProgram {
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
        const given = [addressOf(lines, 1), addressOf(flag, 1), addressOf(kept, comm.rank), comm.rank];
        const args = Object.fromEntries(params.map(({ name }, index) => [name, at(given, index)]));
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

/** The address of a rank's copy of a window. */
function addressOf(window: Window<'u32'>, rank: number): bigint {
  const pointer = getLsaDevicePointer(window, 0, rank);
  if (pointer === null) throw new TypeError(`Rank ${rank} has no copy of a window.`);
  return BigInt(pointer.address);
}
