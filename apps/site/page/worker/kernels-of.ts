import type { Kernel } from '@nccl-ts/kernel';
import { loadProgram } from './load-program.ts';

/** A program that opens its own world gets none, so only its kernels are made. */
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
