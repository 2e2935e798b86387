import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

const program = `
  import { sim } from '@nccl-ts/backend-sim';
  import { allReduce } from '@nccl-ts/collectives';
  import { World } from '@nccl-ts/communicator';
  import { RedOp } from '@nccl-ts/core';
  const world = await World.open({ backend: sim({ ranks: 3, engine: 'wasm' }) });
  const sums = await world.run(async (comm) => {
    const win = await comm.allocWindow('f32', 100);
    await win.write(new Float32Array(100).fill(comm.rank + 1));
    await allReduce(comm, win, win, 100, RedOp.Sum);
    return [...new Set(await win.read())];
  });
  console.log(JSON.stringify(sums));
  await world.close();
`;

/** Bundles a program with collectives and runs it where no package is installed. */
export async function runBundled(external: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'nccl-ts-bundle-'));
  try {
    const outfile = join(folder, 'bundle.mjs');
    await build({
      stdin: { contents: program, resolveDir: join(root, 'packages/nccl-ts'), loader: 'ts' },
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      conditions: ['@nccl-ts/source'],
      external: [...external],
    });
    const env = { ...process.env, NCCLTS_DEBUG: 'sim' };
    const { stdout, stderr } = spawnSync(process.execPath, [outfile], { encoding: 'utf8', env });
    return { stdout: stdout.trim(), stderr };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
