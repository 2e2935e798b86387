import { describe, expect, it } from 'vitest';
import type { CudaSource } from '../../src/cuda-source.ts';
import { compileDiagnostics } from '../../src/jit/compile-diagnostics.ts';
import { errorsOf } from '../../src/jit/compile-errors.ts';

const source: CudaSource = {
  text: '#include <nccl.h>\nextern "C" __global__ void k() {\n  nonsense = 1;\n}\n',
  entry: 'k',
  ncclIncludes: ['nccl.h'],
  lines: [undefined, undefined, { source: 0, start: 7, end: 9 }, undefined],
  params: [],
};

const ofNvrtc = `kernel.cu(3): warning #177-D: variable "x" was declared but never referenced
  nonsense = 1;
  ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

kernel.cu(3): error: identifier "nonsense" is undefined
    nonsense = 1;
    ^

1 error detected in the compilation of "kernel.cu".`;

describe("a compiler's output", () => {
  it('is mapped to lines of the kernel', () => {
    expect(errorsOf(ofNvrtc)).toEqual([{ line: 3, message: 'identifier "nonsense" is undefined' }]);
    expect(compileDiagnostics(ofNvrtc, source)).toEqual([
      {
        code: 'K9001',
        severity: 'error',
        message: 'the generated CUDA C++ does not compile: identifier "nonsense" is undefined',
        labels: [{ span: { source: 0, start: 7, end: 9 }, text: 'made from this' }],
        notes: ['line 3 of the text: nonsense = 1;'],
      },
    ]);
  });

  it.each([
    ['kernel.cu(1): catastrophic error: cannot open source file "nccl.h"', 1],
    ['kernel.cu(2): error #20: identifier "a" is undefined', 2],
    ['/nccl/include/nccl_device/core.h(7): error: no (good): declaration', undefined],
    ['stdint.h(3): error: expected a declaration', undefined],
    ['nvrtc: error: invalid value for --gpu-architecture (-arch)', undefined],
    ["nvcc fatal   : Unsupported gpu architecture 'compute_999'", undefined],
    ["ptxas /tmp/kernel.ptx, line 12; error   : Unknown symbol 'a'", undefined],
  ])('is parsed for %s', (text, line) => {
    expect(errorsOf(text)).toMatchObject([{ line }]);
  });

  it.each([
    '1 error detected in the compilation of "kernel.cu".',
    'kernel.cu(3): warning #186-D: error: not at all',
    '',
  ])('has no error in the line: %s', (text) => {
    expect(errorsOf(text)).toEqual([]);
  });
});
