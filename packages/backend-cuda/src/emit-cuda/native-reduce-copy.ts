import type { CallStatement, ScalarType } from '@nccl-ts/ir';
import type { CudaEmitContext } from './context.ts';
import { byteSize, cppType } from './cpp-type.ts';
import { nativeCoop } from './emit-coop.ts';
import { emitExpression } from './emit-expression.ts';
import { has } from './first-versions.ts';
import { bare } from './parentheses.ts';

/**
 * NCCL writes these functions with device lambdas, and hides them from compilers without an option
 * for these. NVRTC has no such option, because its headers do not compile with it. So the text has
 * both versions, and nvcc, with the option, takes NCCL's.
 */
export const nativeReduceCopyGuard = '#ifdef __CUDACC_EXTENDED_LAMBDA__';

/** NCCL's header, and the library headers that it needs. */
export const nativeReduceCopyIncludes: readonly string[] = [
  'cuda_fp16.h',
  'cuda_bf16.h',
  'cuda_fp8.h',
  'nccl_device/impl/core__funcs.h',
  'nccl_device/impl/comm__funcs.h',
  'nccl_device/impl/ptr__funcs.h',
  'nccl_device/impl/reduce_copy__funcs.h',
];

/** Returns NCCL's own call; `undefined` if it has none, and the portable body is used. */
export function nativeReduceCopy(s: CallStatement, c: CudaEmitContext): string | undefined {
  const form = forms[s.name];
  const coop = s.statics.find((part) => part.kind === 'coop');
  const type = s.statics.find((part) => part.kind === 'type');
  if (form === undefined || coop?.kind !== 'coop' || type?.kind !== 'type') return undefined;
  // Other types have no sum, which has already been reported.
  if (type.type.kind !== 'scalar') return undefined;
  if (!has(c, 'reduceCopy')) return undefined;
  const element = elementType(type.type);
  const { type: group, value } = nativeCoop(coop.coop, c);
  const count = s.args[form.count];
  if (count === undefined) return undefined;
  const unroll = s.statics.find((part) => part.kind === 'number' && part.name === 'unroll');
  const elements = unroll?.kind === 'number' ? Number(unroll.number) : 64 / byteSize(type.type);
  const template = [element, group, cppType(count.type), String(elements)].join(', ');
  const args = s.args.map((arg) => bare(emitExpression(arg, c)));
  const pointers = args.map((text, i) =>
    s.args[i]?.type.kind === 'pointer' ? `reinterpret_cast<${element}*>(${text})` : text,
  );
  return `${form.name}<${template}>(${[value, ...form.args(pointers, element)].join(', ')});`;
}

interface NativeCall {
  readonly name: string;
  /** The argument with the number of elements, which has NCCL's type for counts. */
  readonly count: number;
  /**
   * Returns NCCL's arguments after the group, from those of the call. A team becomes three of them.
   */
  readonly args: (args: readonly string[], element: string) => readonly string[];
}

const team = (args: readonly string[], at: number): string => `ncclTeam{${args.slice(at, at + 3).join(', ')}}`;

const forms: Readonly<Record<string, NativeCall>> = {
  'reduceCopy.lsaReduceSum': {
    name: 'ncclLsaReduceSum',
    count: 6,
    args: (args) => [...args.slice(0, 2), ...args.slice(5), team(args, 2)],
  },
  'reduceCopy.localReduceSum': { name: 'ncclLocalReduceSum', count: 4, args: (args) => args },
  'reduceCopy.lsaCopy': {
    name: 'ncclLsaCopy',
    count: 6,
    args: (args) => [...args.slice(0, 3), ...args.slice(6), team(args, 3)],
  },
  'reduceCopy.localCopy': { name: 'ncclLocalCopy', count: 4, args: (args) => args },
  'reduceCopy.lsaReduceSumCopy': {
    name: 'ncclLsaReduceSumCopy',
    count: 10,
    args: (args, element) => [
      `ncclSymPtr<${element}>(${args.slice(0, 2).join(', ')})`,
      team(args, 2),
      `ncclSymPtr<${element}>(${args.slice(5, 7).join(', ')})`,
      team(args, 7),
      ...args.slice(10),
    ],
  },
  'reduceCopy.localReduceSumCopy': { name: 'ncclLocalReduceSumCopy', count: 6, args: (args) => args },
  // Uses multicast pointers, since the values of a window and a handle are computed before.
  'reduceCopy.multimemReduceSum': { name: 'ncclMultimemReduceSum', count: 2, args: (args) => args },
  'reduceCopy.multimemCopy': { name: 'ncclMultimemCopy', count: 2, args: (args) => args },
  'reduceCopy.multimemReduceSumCopy': { name: 'ncclMultimemReduceSumCopy', count: 2, args: (args) => args },
  'reduceCopy.lsaReduceSumMultimemCopy': {
    name: 'ncclLsaReduceSumMultimemCopy',
    count: 6,
    args: (args, element) => [
      `ncclSymPtr<${element}>(${args.slice(0, 2).join(', ')})`,
      team(args, 2),
      ...args.slice(5),
    ],
  },
  'reduceCopy.multimemReduceSumLsaCopy': {
    name: 'ncclMultimemReduceSumLsaCopy',
    count: 6,
    args: (args, element) => [
      ...args.slice(0, 1),
      `ncclSymPtr<${element}>(${args.slice(1, 3).join(', ')})`,
      team(args, 3),
      ...args.slice(6),
    ],
  },
};

/** Returns the type in NCCL. Here, FP8 is a struct of bytes. */
function elementType(type: ScalarType): string {
  const { scalar } = type;
  return scalar === 'e4m3' || scalar === 'e5m2' ? `__nv_fp8_${scalar}` : cppType(type);
}
