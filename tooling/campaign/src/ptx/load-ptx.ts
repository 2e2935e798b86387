import {
  getLsaDevicePointer,
  getLsaMultimemDevicePointer,
  World,
  type DevicePointer,
  type Stream,
} from '@nccl-ts/communicator';
import { at } from '@nccl-ts/core';
import { importKernel, parsePtx } from '@nccl-ts/ptx';
import type { RunProgram } from '../load-program.ts';
import { KEPT_VALUES, LINES, type PtxProgram } from './ptx-program.ts';
import { ptxText } from './ptx-text.ts';

/** Translates a program's text. @throws the diagnostics of unsupported features. */
export function loadPtx(program: PtxProgram): RunProgram {
  const { ranks, grid, block, steps } = program;
  const { module, diagnostics } = parsePtx(ptxText(program), 'program.ptx');
  if (module === undefined) throw new TypeError(diagnostics.map(({ message }) => message).join('\n'));
  const entries = program.kernels.map((_, index) => importKernel(module, { entry: `k${index}` }));
  const keptWords = grid * block * KEPT_VALUES;
  const streamCount = 1 + Math.max(0, ...steps.map((step) => ('stream' in step ? step.stream : 0)));
  return async (backend) => {
    const world = await World.open({ backend });
    try {
      const read = await world.run(async (comm) => {
        const shared = await comm.allocWindow('u32', 4 * LINES.window);
        const kept = await comm.allocWindow('u32', entries.length * keptWords);
        const window = (rank: number): bigint => addressOf(getLsaDevicePointer(shared, 0, Math.min(rank, ranks - 1)));
        const all = ranks > 1 ? addressOf(getLsaMultimemDevicePointer(shared, 0)) : 0n;
        const streams: Stream[] = [];
        for (let stream = 1; stream < streamCount; stream++) streams.push(await comm.createStream());
        const seen: number[] = [];
        const onStream = (stream: number): { readonly stream?: Stream } =>
          stream === 0 ? {} : { stream: at(streams, stream - 1) };
        for (const step of steps) {
          if ('rank' in step && step.rank !== undefined && step.rank !== comm.rank) continue;
          switch (step.kind) {
            case 'launch': {
              const { kernel, params } = at(entries, step.kernel);
              const own = addressOf(getLsaDevicePointer(kept, 4 * keptWords * step.kernel, comm.rank));
              const given = [window(0), window(1), window(2), all, own, comm.rank];
              const args = Object.fromEntries(params.map(({ name }, index) => [name, at(given, index)]));
              await comm.launch(kernel, { grid, block, ...onStream(step.stream) }, args);
              break;
            }
            case 'synchronize':
              await comm.synchronize(onStream(step.stream).stream);
              break;
            case 'write':
              await shared.write(new Uint32Array([step.value]), step.word * 16);
              break;
            case 'read':
              seen.push(...(await shared.read(new Uint32Array(1), step.word * 16)));
              break;
            case 'meet':
              await comm.createDevComm({});
              break;
          }
        }
        await comm.synchronize();
        for (const stream of streams) await comm.synchronize(stream);
        const values = [...(await kept.read())].flatMap((value, slot) => (value > 0 ? [`${slot}:${value - 1}`] : []));
        return [seen.join(), values.join()].join(' ');
      });
      return read.join(' | ');
    } finally {
      await world.close();
    }
  };
}

function addressOf(pointer: DevicePointer | null): bigint {
  if (pointer === null) throw new TypeError('A rank has no copy of the window.');
  return BigInt(pointer.address);
}
