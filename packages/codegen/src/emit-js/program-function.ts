import { NcclError } from '@nccl-ts/core';

import type { ArgValue, KernelProgram, ProgramHost } from '../program/program.ts';
import type { BoundRegions } from '../program/region.ts';
import { support } from './support.ts';

/** Generated text as a function. */
export type CreateProgram = (
  host: ProgramHost,
  args: readonly ArgValue[],
  functions: Readonly<Record<string, unknown>>,
  strings: readonly string[],
) => KernelProgram;

/**
 * Converts `text`, which was generated for kernel `name`, to a function.
 *
 * @throws NcclError `NCCLTS_NOT_SUPPORTED` if the host forbids that
 */
export function programFunction(name: string, text: string): CreateProgram {
  try {
    // All of the text is generated (see emit-js.ts). Its result is a program, which the type
    // checker cannot know.
    // oxlint-disable-next-line typescript/no-implied-eval, typescript/no-unsafe-type-assertion
    return new Function('host', 'args', 'support', 'strings', text) as CreateProgram;
  } catch (cause) {
    if (cause instanceof SyntaxError) {
      throw new NcclError('NCCL_INTERNAL_ERROR', `The JavaScript generated for '${name}' is malformed.`, { cause });
    }
    throw new NcclError(
      'NCCLTS_NOT_SUPPORTED',
      `Cannot run '${name}' on the simulator: it compiles kernels with new Function, which is forbidden here. ` +
        "A content security policy must allow 'unsafe-eval'; under Node, run without --disallow-code-generation-from-strings.",
      { cause },
    );
  }
}

/** The binding of a program to one launch on one host thread. */
export interface ProgramBinding {
  readonly host: ProgramHost;
  readonly args: readonly ArgValue[];
  readonly strings: readonly string[];
  /** The WebAssembly functions that the text calls, if there are any. */
  readonly regions: BoundRegions | undefined;
}

export function bindProgram(create: CreateProgram, { host, args, strings, regions }: ProgramBinding): KernelProgram {
  return create(host, args, support(host, regions), strings);
}
