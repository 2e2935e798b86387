import type { Kernel } from '@nccl-ts/kernel';
import { loadProgram } from './load-program.ts';

/** Loads a program to get its kernels. A program that opens its own world gets no world. */
export async function kernelsOf(text: string): Promise<readonly Kernel[]> {
  const none = new Error('no world while kernels are looked at');
  const made: Kernel[] = [];
  try {
    const { kernels } = await loadProgram(
      text,
      () => {
        throw none;
      },
      made,
    );
    return kernels;
  } catch (error) {
    if (error !== none) throw error;
    return made;
  }
}
