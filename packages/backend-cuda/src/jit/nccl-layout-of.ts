import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { NcclError } from '@nccl-ts/core';
import { layoutProbeText, readLayout, type NcclLayout } from '../ffi/nccl-layout.ts';
import { cacheKey } from './cache.ts';
import type { Compiler } from './compile-cubin.ts';
import { compilerIdentity, nvccFlags, runNvcc } from './nvcc.ts';

/**
 * The layouts of NCCL's structs, as the compiler that will compile the kernels sees them in the headers that they will be
 * compiled against.
 *
 * @throws NcclError `NCCLTS_COMPILE` where the headers do not compile.
 */
export async function ncclLayoutOf(compiler: Compiler, arch: string): Promise<NcclLayout> {
  const { toolkit, nccl, cache } = compiler;
  const job = { text: layoutProbeText(), output: 'ptx', arch, includes: [nccl.include] } as const;
  const key = cacheKey({
    kind: 'layout',
    text: job.text,
    flags: nvccFlags(job).join(' '),
    headers: await identity([join(nccl.include, 'nccl.h'), join(nccl.include, 'nccl_device/impl/comm__types.h')]),
    compiler: await compilerIdentity(toolkit),
  });
  const kept = await cache.get(key);
  if (kept !== undefined) return readLayout(new TextDecoder().decode(kept));
  const compiled = await runNvcc(toolkit, job);
  if (!compiled.ok) {
    throw new NcclError(
      'NCCLTS_COMPILE',
      `NCCL's headers in ${nccl.include} do not compile with ${toolkit.nvcc}:\n${compiled.messages}`,
      { details: { messages: compiled.messages } },
    );
  }
  await cache.put(key, compiled.bytes);
  return readLayout(new TextDecoder().decode(compiled.bytes));
}

async function identity(files: readonly string[]): Promise<string> {
  const stats = await Promise.all(files.map(async (file) => stat(file)));
  return stats.map(({ size, mtimeMs }, i) => `${files[i]} ${size} ${mtimeMs}`).join('\n');
}
