import type { CudaParam } from '../cuda-source.ts';

/** Where the parameters of a kernel lie in the buffer that a launch passes. */
export interface ArgumentLayout {
  /** Of each parameter, in order. */
  readonly offsets: readonly number[];
  /** Bytes of the buffer. */
  readonly bytes: number;
}

/** Lays parameters out as the compiler does: each at the next multiple of its alignment. */
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
  return { offsets, bytes: end };
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
    case 'rank':
      return { bytes: 4, align: 4 };
    case 'devComm':
      return devComm;
  }
}
