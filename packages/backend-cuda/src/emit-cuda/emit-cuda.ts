import { fabricHeader } from './fabric-fence.ts';
import { NcclError, scalarInfo } from '@nccl-ts/core';
import { elementScalar, walkBody, type Module, type Span, type Type, type ValidatedModule } from '@nccl-ts/ir';
import type { CudaParam, CudaSource, EmitCudaOptions } from '../cuda-source.ts';
import { CudaEmitContext } from './context.ts';
import { byteSize, cppType, useType } from './cpp-type.ts';
import { emitEntry, withEarlyValues, type KernelEntry } from './entry.ts';
import { emitBody } from './emit-statement.ts';
import { dependenciesOf } from './grid-dependency.ts';
import { usesCft } from './native-cft.ts';
import { cftBarrierHeader } from './native-cft-barrier.ts';
import { ginBarrierHeader, ginHeader } from './native-gin.ts';
import { barrierHeader } from './native-lsa.ts';
import { llA2AHeader } from './native-ll-a2a.ts';
import { nativeCalls } from './native-calls.ts';
import { nativeReduceCopyGuard, nativeReduceCopyIncludes } from './native-reduce-copy.ts';
import { bare } from './parentheses.ts';
import { prelude } from './prelude.ts';

/**
 * Emits CUDA C++ that runs `module`, against NCCL's device headers.
 *
 * These parts bridge the differences between CUDA and the IR:
 * - *Sessions* are objects of NCCL's classes. The IR defines where they start and end, so they are
 *   constructed in place and destroyed explicitly. If NCCL's class lacks something that a session
 *   uses, its calls run their portable bodies.
 * - *Integers* wrap around. C++ guarantees this only for unsigned ones.
 * - *Floats* are rounded after every operation, so the text must be compiled with
 *   `-fmad=false -ftz=false -prec-div=true -prec-sqrt=true`. 16-bit floats are computed in float
 *   and rounded once.
 * - *Updates of loops* may contain statements; `continue` then jumps to a label.
 * - *A launch* begins when the previous one has ended. The kernel itself waits for that, so that
 *   launches may overlap. A kernel with its own wait is launched early only if its launch requests
 *   that.
 * - *Text is code.* Names come from the namer, numbers are printed here, and strings stay on the
 *   host.
 *
 * @throws NcclError `NCCLTS_NOT_SUPPORTED` for values that NCCL's device structures do not have.
 */
export function emitCuda(module: ValidatedModule, options: EmitCudaOptions): CudaSource {
  const c = new CudaEmitContext(module, options, nativeCalls(module, options));
  let entry: KernelEntry | undefined;
  // The body comes first, because it determines what the kernel needs.
  c.writer.indented(() => {
    declareArrays(module, c);
    const effect = module.body.findIndex(({ kind }) => kind !== 'assign');
    const first = effect === -1 ? module.body.length : effect;
    emitBody(module.body.slice(0, first), c);
    entry = emitEntry(module, first, c);
    emitBody(module.body.slice(first), c);
  });
  const { lines } = c;
  const bodyText = withEarlyValues(c.writer.toString(), entry, c);
  const head = headText(module, c);
  const shift = head.split('\n').length - 1;
  const shifted: (Span | undefined)[] = [...Array.from({ length: shift }, () => undefined), ...lines, undefined];
  return {
    text: `${head}${bodyText}}\n`,
    entry: c.entry,
    ncclIncludes: includesOf(c),
    lines: shifted,
    params: [
      ...module.params.map((param) => paramOf(param.type)),
      ...(c.sites.length > 0 ? [{ kind: 'printer', sites: c.sites } as const] : []),
      ...(options.abortable === true ? [{ kind: 'abort' } as const] : []),
    ],
    waitsForEarlier: !dependenciesOf(module).waits,
    waitsForOthers: hasWaits(module),
  };
}

function hasWaits({ body }: Module): boolean {
  let found = false;
  walkBody(body, {
    statement: ({ kind }) => {
      found ||= kind === 'wait' || kind === 'waitAll';
      return !found;
    },
  });
  return found;
}

function headText(module: Module, c: CudaEmitContext): string {
  for (const type of allTypes(module)) useType(type, c);
  const { includes, text: common } = prelude(c.parts);
  const text = [common, ...c.functions.values()].filter((part) => part !== '').join('\n\n');
  const nccl = includesOf(c);
  const lines = [
    ...includes.map((name) => `#include <${name}>`),
    ...(nccl.length > 0 ? ['#include <new>', '#include <nccl.h>', ...nccl.map((name) => `#include <${name}>`)] : []),
    ...(c.reduceCopy
      ? [nativeReduceCopyGuard, ...nativeReduceCopyIncludes.map((name) => `#include <${name}>`), '#endif']
      : []),
    '',
    ...(text === '' ? [] : ['namespace nts {', text, '}  // namespace nts', '']),
    `extern "C" __global__ void ${c.entry}(${paramList(module, c)}) {`,
    ...(c.scratch.has('nts_scratch') ? ['  __shared__ alignas(16) unsigned char nts_scratch[16][16];'] : []),
    ...[...c.constants].map(([value, { name, type }]) => `  ${type} ${name} = ${bare(value)};`),
    ...topLocals(module, c),
  ];
  return `${lines.join('\n')}\n`;
}

function paramList(module: Module, c: CudaEmitContext): string {
  const params = module.params.map((param, index) => `${cppType(param.type)} const ${c.params[index]}`);
  if (c.sites.length > 0) params.push('nts::printer const printer');
  if (c.options.abortable === true) params.push('unsigned int* const abort_word');
  return params.join(', ');
}

/** Returns the locals that are not declared where they are set. */
function topLocals(module: Module, c: CudaEmitContext): readonly string[] {
  return module.locals.flatMap((local, id) =>
    c.inline.has(id) || !c.touched.locals.has(id) ? [] : [`  ${cppType(local.type)} ${c.locals[id]};`],
  );
}

function declareArrays(module: Module, c: CudaEmitContext): void {
  const aligned = usesCft(module) ? 'alignas(16) ' : '';
  for (const [id, array] of module.arrays.entries()) {
    if (!c.touched.arrays.has(id)) continue;
    const shared = array.space === 'shared' ? `__shared__ ${aligned}` : '';
    c.line(`${shared}${cppType(array.element)} ${c.arrays[id]}[${array.length}];`);
  }
}

function includesOf(c: CudaEmitContext): readonly string[] {
  const needed = new Set(c.ncclIncludes);
  const handles = c.module.params.some((param) => param.type.kind === 'handle');
  if (handles)
    needed
      .add('nccl_device/impl/core__funcs.h')
      .add('nccl_device/impl/comm__types.h')
      .add('nccl_device/impl/ptr__funcs.h');
  const barrier = barrierHeader(c);
  const headers = [...order, barrier, llA2AHeader, ginHeader, ginBarrierHeader, fabricHeader, cftBarrierHeader];
  const unknown = [...needed].find((name) => !headers.includes(name));
  if (unknown !== undefined)
    throw new NcclError('NCCL_INTERNAL_ERROR', `The header ${unknown} has no place in the text.`);
  return headers.filter((name) => needed.has(name));
}

const order: readonly string[] = [
  'nccl_device/impl/comm__types.h',
  'nccl_device/impl/core__funcs.h',
  'nccl_device/impl/comm__funcs.h',
  'nccl_device/impl/ptr__funcs.h',
];

function allTypes(module: Module): readonly Type[] {
  return [...module.params, ...module.locals]
    .map((named) => named.type)
    .concat(module.arrays.map((array) => array.element));
}

function paramOf(type: Type): CudaParam {
  switch (type.kind) {
    case 'scalar': {
      const { bytes } = scalarInfo[type.scalar];
      return { kind: 'value', bytes, align: bytes };
    }
    case 'vector':
      return { kind: 'value', bytes: byteSize(type), align: scalarInfo[elementScalar(type)].bytes * type.width };
    case 'pointer':
      return { kind: 'value', bytes: 8, align: 8 };
    case 'handle':
      return type.name === 'DevComm' ? { kind: 'devComm' } : { kind: 'window' };
  }
}
