import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { byShape, decorateBackend, runTransferCase, transferCases } from '@nccl-ts/conformance';
import type { Module } from '@nccl-ts/ir';

/** Sends, receives, puts and signals in one load-store domain, and across several. */
const shapes: readonly string[] = ['2 of 2', '4 of 2'];

/**
 * The kernels of sends, receives and one-sided operations, by name. They are not exported, so a
 * backend records them when it compiles them.
 *
 * @throws Error if a program that launches them fails
 */
export async function transferModules(): Promise<ReadonlyMap<string, Module>> {
  const found = new Map<string, Module>();
  for (const { shape, cases } of byShape(transferCases())) {
    if (!shapes.includes(`${shape.ranks} of ${shape.lsaSize}`)) continue;
    const backend = decorateBackend(sim(shape), (world) => ({
      compile: (module) => {
        found.set(`transfer/${module.name}`, module);
        return world.compile(module);
      },
    }));
    const world = await World.open({ backend });
    for (const one of cases) {
      const problem = await runTransferCase(world, one);
      if (problem !== undefined) throw new Error(`${one.id}: ${problem}`);
    }
    await world.close();
  }
  return found;
}
