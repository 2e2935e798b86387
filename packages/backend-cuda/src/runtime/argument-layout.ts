import type { CudaParam } from '../cuda-source.ts';

/** The offsets of a kernel's parameters in a launch's buffer. */
export interface ArgumentLayout {
  /** The offset of each parameter, in order. */
  readonly offsets: readonly number[];
  /** The size of the buffer in bytes. */
  readonly bytes: number;
  /** The offset of the printer, if the kernel has one. */
  readonly printerAt: number | undefined;
  /** The offset of the abort word's address, if the kernel reads the word. */
  readonly abortAt: number | undefined;
}

/** `nts::printer` of the emitted text. */
export const printerLayout: Readonly<
  Record<'bytes' | 'align' | 'given' | 'read' | 'mask' | 'firstSite' | 'stream', number>
> = { bytes: 32, align: 8, given: 0, read: 8, mask: 16, firstSite: 20, stream: 24 };

/**
 * Computes the parameters' layout as the compiler does: each is at the next multiple of its
 * alignment.
 */
export function layoutArguments(
  params: readonly CudaParam[],
  devComm: { readonly bytes: number; readonly align: number },
): ArgumentLayout {
  let end = 0;
  const offsets = params.map((param) => {
    const { bytes, align } = sizeOf(param, devComm);
    const offset = Math.ceil(end / align) * align;
    end = offset + bytes;
    return offset;
  });
  const at = (kind: CudaParam['kind']): number | undefined => offsets[params.findIndex((param) => param.kind === kind)];
  return { offsets, bytes: end, printerAt: at('printer'), abortAt: at('abort') };
}

function sizeOf(
  param: CudaParam,
  devComm: { readonly bytes: number; readonly align: number },
): { readonly bytes: number; readonly align: number } {
  switch (param.kind) {
    case 'value':
      return param;
    case 'window':
    case 'abort':
      return { bytes: 8, align: 8 };
    case 'printer':
      return printerLayout;
    case 'devComm':
      return devComm;
  }
}
