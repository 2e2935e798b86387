import { ctaSync } from './kernels/latency-kernels.ts';
import { accessKinds, accessOfKind, fenceKinds, fenceOfKind, partFlags } from './kernels/sync-kernels.ts';
import { shapeLimit, type KeepResult, type MicroOptions } from './micro-options.ts';
import { shape, type MicroBody, type MicroRunner } from './micro-runner.ts';

/** No rank: there is nothing to wait for. */
const NONE = 0xffff;

/** The stores before each fence. */
const outstanding = [
  ['', NONE],
  ['-behind-own-store', 0],
  ['-behind-peer-store', 1],
] as const;

/**
 * Measures each kind of synchronization alone. Names have its order and scope, and the memory:
 * `fence-acq_rel-system-behind-peer-store`, `load-acquire-device-own`.
 */
export async function measureSyncs(run: MicroRunner, options: MicroOptions, keep: KeepResult): Promise<void> {
  const { turns, threads } = options;
  const { words } = run;
  for (const [kind, { order, scope }] of fenceKinds.entries()) {
    for (const [what, target] of outstanding) {
      const body =
        (block: number, meets: number): MicroBody =>
        async (comm, { win, devComm }, iters) =>
          comm.launch(fenceOfKind, shape(1, block), {
            comm: devComm,
            win,
            iters,
            words,
            kind,
            target,
            meets,
            active: 1,
          });
      const name = `fence-${order}-${scope}${what}`;
      await keep(name, 'ns', async () => run.slope(body(1, 0), turns));
      if (scope === 'block' && target !== NONE) continue;
      await keep(`${name}-of-cta`, 'ns', async () => run.slope(body(threads, 1), turns), { threads });
    }
  }
  // The loop of that kernel without a fence.
  for (const [block, meets] of [
    [1, 0],
    [threads, 1],
  ] as const) {
    const body: MicroBody = async (comm, { win, devComm }, iters) =>
      comm.launch(fenceOfKind, shape(1, block), {
        comm: devComm,
        win,
        iters,
        words,
        kind: fenceKinds.length,
        target: NONE,
        meets,
        active: 1,
      });
    await keep(meets === 0 ? 'fence-none' : 'fence-none-of-cta', 'ns', async () => run.slope(body, turns), {
      threads: block,
    });
  }
  for (const [kind, { name, scope }] of accessKinds.entries()) {
    for (const target of [0, 1]) {
      const body: MicroBody = async (comm, { win, devComm }, iters) => {
        // The places come from the words, which are to be 0.
        await comm.launch(accessOfKind, shape(1, 1), { comm: devComm, win, iters: 1, words, kind: 0, target });
        await comm.launch(accessOfKind, shape(1, 1), { comm: devComm, win, iters, words, kind, target });
      };
      const where = target === 0 ? 'own' : 'peer';
      await keep(`${name}-${scope}-${where}`, 'ns', async () => run.slope(body, turns));
    }
  }
  for (const block of [64, 128, 256, 1024]) {
    const sync: MicroBody = async (comm, { win, devComm }, iters) =>
      comm.launch(ctaSync, shape(1, block), { comm: devComm, win, iters, words });
    await keep('cta-sync', 'ns', async () => run.slope(sync, 4 * turns), { threads: block });
  }
}

/** Launches of so many CTAs and threads, of which the first `active` exchange `each` flags. */
const parts = [
  [1, 128, 1, 1],
  [1, 128, 1, 32],
  [1, 128, 1, 128],
  [1, 512, 1, 1],
  [1, 1024, 1, 1],
  [2, 128, 1, 1],
  [2, 128, 2, 1],
  [3, 128, 3, 1],
  [4, 128, 1, 1],
  [4, 128, 4, 1],
  [8, 128, 1, 1],
  [8, 128, 8, 1],
  [16, 128, 1, 1],
  [16, 128, 16, 1],
  [32, 128, 32, 1],
  [64, 128, 1, 1],
  [64, 128, 64, 1],
  [128, 128, 1, 1],
  [128, 128, 128, 1],
  [128, 512, 128, 1],
] as const;

/**
 * Measures launches of which only some CTAs wait for the peer's. `part-flags-A-E` has A CTAs that
 * wait, with E flags each.
 */
export async function measureParts(run: MicroRunner, options: MicroOptions, keep: KeepResult): Promise<void> {
  const { graph } = options;
  const { words } = run;
  for (const [ctas, threads, active, each] of parts) {
    if (ctas > shapeLimit(options)) continue;
    const body: MicroBody = async (comm, { win, devComm }, turns) => {
      const args = { comm: devComm, win, iters: 1, words, active, each };
      for (let i = 0; i < turns; i++) await comm.launch(partFlags, shape(ctas, threads), args);
    };
    const measure = async (): Promise<readonly number[]> => run.slope(body, graph, 4 * options.launches);
    await keep(`part-flags-${active}-${each}`, 'ns', measure, { ctas, threads });
  }
}
