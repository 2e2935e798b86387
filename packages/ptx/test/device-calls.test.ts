import { NcclError } from '@nccl-ts/core';
import { handleParam, i32, kernel, u64, type Kernel } from '@nccl-ts/kernel';
import { printModule } from '@nccl-ts/ir';
import { callResult, importKernel, parsePtx, type CallMap, type DeviceCall, type ImportedKernel } from '@nccl-ts/ptx';
import { describe, expect, it } from 'vitest';

/**
 * Stores the result of `scale(factor, value)`. The text moves `factor` into the call's parameter.
 */
const textOf = (factor: string): string => `
.version 8.5
.target sm_90
.address_size 64
.extern .func (.param .b64 func_retval0) scale
(
  .param .b32 scale_param_0,
  .param .b64 scale_param_1
)
;
.visible .entry stores(.param .u64 out, .param .u32 given)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [given];
  mov.b64 %rd2, 7;
  mov.b32 %r2, 5;
  {
  .param .b32 param0;
  st.param.b32 [param0], ${factor};
  .param .b64 param1;
  st.param.b64 [param1], %rd2;
  .param .b64 retval0;
  call.uni (retval0), scale, (param0, param1);
  ld.param.b64 %rd3, [retval0];
  }
  st.global.u64 [%rd1], %rd3;
  ret;
}
`;

const device = handleParam<{ readonly kind: 'device'; readonly speed: number }, never>({
  handle: 'Device',
  fields: { speed: i32 },
});

function scaled(FACTOR: number): Kernel {
  return kernel(
    { name: 'scale', use: { FACTOR, callResult }, params: { device, value: u64 } },
    ({ FACTOR, callResult, u64 }, { device, value }) => {
      callResult(value * FACTOR * u64(device.speed));
    },
  );
}

const scale: DeviceCall = {
  params: [{ name: 'factor', isKnown: true }, { name: 'value' }],
  kernel: ([factor = 0]) => (factor < 9 ? scaled(factor) : `a factor is less than 9, not ${factor}`),
};

function read(calls: CallMap, factor = '3'): ImportedKernel {
  const { module } = parsePtx(textOf(factor), 'stores.ptx');
  if (module === undefined) throw new Error('the text is not PTX');
  return importKernel(module, { entry: 'stores', calls });
}

const map: CallMap = new Map([['scale', scale]]);

describe('a function that the text only declares', () => {
  it('behaves as the call map defines, with its handles as parameters of the kernel', () => {
    const { kernel: made, params } = read(map);
    expect(params.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'bytes param_0_u64',
      'bytes param_8_u32',
      'handle device',
    ]);
    const text = printModule(made.compile());
    expect(text).toMatch(/\$\d device: Device/);
    expect(text).toMatch(/call scale\(\) \{\n.*= \(\(%\d+ \* 3n:u64\) \* u64\(\$\d\.speed:i32\)\)/);
  });

  it('may get a constant argument through a register with one number', () => {
    expect(printModule(read(map, '%r2').kernel.compile())).toContain('* 5n:u64');
  });

  it.each([
    [
      'that the map does not have',
      new Map(),
      '3',
      /P2004.*scale is defined elsewhere, so its call cannot be translated/,
    ],
    [
      'with other parameters',
      new Map([['scale', { ...scale, params: scale.params.slice(1) }]]),
      '3',
      /P2004.*scale takes 1 argument, but the call passes 2/,
    ],
    ['with a number that only the run knows', map, '%r1', /P3003.*factor of scale must be a compile-time constant/],
    [
      'with a number that means nothing',
      map,
      '12',
      /P2004.*scale cannot be called in this way: a factor is less than 9, not 12/,
    ],
  ] as const)('is reported: %s', (_what, calls: CallMap, factor, expected) => {
    expect(errorsOf(() => read(calls, factor))).toMatch(expected);
  });
});

function errorsOf(translate: () => unknown): string {
  try {
    translate();
  } catch (error) {
    if (!(error instanceof NcclError)) throw error;
    return JSON.stringify(error.details);
  }
  return 'no error';
}
