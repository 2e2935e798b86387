import { NcclError } from '@nccl-ts/core';
import { layoutProbeText, readLayout, type NcclLayout } from '../ffi/nccl-layout.ts';
import { compileText } from './compile-text.ts';
import type { Compiler } from './compiler.ts';
import { ncclHeadersIdentity } from './nccl-headers.ts';

/**
 * Returns the layouts of NCCL's structs, as the compiler that will compile the kernels sees them in
 * the same headers.
 *
 * @throws NcclError `NCCLTS_COMPILE` if the headers do not compile.
 */
export async function ncclLayoutOf(compiler: Compiler, arch: string): Promise<NcclLayout> {
  const { nccl } = compiler;
  const outcome = await compileText(compiler, {
    job: { text: layoutProbeText(), output: 'ptx', arch, includes: [nccl.include] },
    key: { kind: 'layout', headers: await ncclHeadersIdentity(nccl) },
    isAuthors: () => false,
  });
  if (outcome.ok) return readLayout(new TextDecoder().decode(outcome.bytes));
  const { by, messages } = outcome;
  throw new NcclError(
    'NCCLTS_COMPILE',
    `NCCL's headers in ${nccl.include} do not compile with ${by.title}:\n${messages}`,
    {
      details: { compiler: by.name, messages },
    },
  );
}
