import { cuda, type CudaWorld } from '@nccl-ts/backend-cuda';
import { allReduce, prepareCollective } from '@nccl-ts/collectives';
import { World } from '@nccl-ts/communicator';
import { RedOp } from '@nccl-ts/core';
import { defineBackend } from '@nccl-ts/transport';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { option } from '../option.ts';
import { provenance } from '../provenance.ts';
import { round } from './bench-setup.ts';
import { finish, phase, report } from './phases.ts';

/*
 * Measures the first AllReduce of a process, and the steps of the backend in it:
 *
 *     bash .gpu/run.sh first-call [--gpus 2] [--prepared]
 *
 * Run it twice, since the first run may compile kernels. With --prepared, `prepareCollective` runs
 * before the first AllReduce, and its time and steps are reported too. Lines of JSON; all in
 * $OUT/first-call.json.
 */

const gpus = Number(option('--gpus', '2'));
const isPrepared = process.argv.includes('--prepared');
const COUNT = 256;
const CALLS = 12;

/** One call of a function of the backend's world. */
interface TimedStep {
  readonly name: string;
  /** Milliseconds since the measured call began. */
  readonly began: number;
  readonly ms: number;
}

let steps: TimedStep[] = [];
let origin = 0;

/** Records how long each call of the world's functions takes. */
function observed(world: CudaWorld): CudaWorld {
  return new Proxy(world, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      // Private members need the world itself as `this`, also in the functions named by symbols.
      return (...args: unknown[]): unknown => {
        const began = performance.now();
        const ended = (): void => {
          if (origin > 0 && typeof name === 'string') {
            steps.push({ name, began: round(began - origin), ms: round(performance.now() - began) });
          }
        };
        const result: unknown = Reflect.apply(value, target, args);
        if (result instanceof Promise) void result.then(ended, ended);
        else ended();
        return result;
      };
    },
  });
}

await phase('first-call', async () => {
  const inner = cuda({ devices: Array.from({ length: gpus }, (_, i) => i) });
  const backend = defineBackend({
    ...inner,
    open: async (options) => observed(await inner.open(options)),
  });
  const opening = performance.now();
  await using world = await World.open({ backend });
  report({ opened: round(performance.now() - opening) });
  const places = await world.run(async (comm) => {
    const [send, recv] = [await comm.allocWindow('f32', COUNT), await comm.allocWindow('f32', COUNT)];
    await send.write(new Float32Array(COUNT).fill(comm.rank + 1));
    return { send, recv };
  });
  let prepared: { readonly ms: number; readonly steps: readonly TimedStep[] } | undefined;
  if (isPrepared) {
    origin = performance.now();
    await world.run(async (comm) =>
      prepareCollective(comm, { collective: 'allReduce', element: 'f32', count: COUNT, op: 'sum' }),
    );
    prepared = { ms: round(performance.now() - origin), steps };
    report({ prepared });
    steps = [];
  }
  const ms: number[] = [];
  origin = performance.now();
  for (let call = 0; call < CALLS; call++) {
    const began = performance.now();
    await world.run(async (comm) => {
      const place = places[comm.rank];
      if (place === undefined) throw new RangeError(`There is no rank ${comm.rank}.`);
      await allReduce(comm, place.send, place.recv, COUNT, RedOp.Sum);
      await comm.synchronize();
    });
    ms.push(round(performance.now() - began));
    if (call === 0) report({ first: ms[0], steps });
  }
  origin = 0;
  report({ ms });
  const results = { ...provenance(), gpus, bytes: 4 * COUNT, prepared, ms, steps };
  writeFileSync(join(process.env['OUT'] ?? '.', 'first-call.json'), JSON.stringify(results, undefined, 1));
});
finish();
