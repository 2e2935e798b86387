import type { Kernel } from '@nccl-ts/kernel';
import { loadProgram, opensWorld } from './load-program.ts';

/** The kernels of a program, and whether it has something that launches them. */
export interface ProgramKernels {
  readonly kernels: readonly Kernel[];
  readonly hasHost: boolean;
}

/** Loads a program to get its kernels. A program that opens its own world gets no world. */
export async function kernelsOf(text: string): Promise<ProgramKernels> {
  const none = new Error('no world while kernels are looked at');
  const made: Kernel[] = [];
  try {
    const { kernels, host } = await loadProgram(
      text,
      () => {
        throw none;
      },
      made,
    );
    return { kernels, hasHost: host !== undefined || opensWorld(text) };
  } catch (error) {
    if (error !== none) throw error;
    return { kernels: made, hasHost: true };
  }
}
