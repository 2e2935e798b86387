import { elementScalar, walkBody, type CallStatement, type Module } from '@nccl-ts/ir';
import { NcclError, type ScalarKind } from '@nccl-ts/core';
import type { CudaEmitContext } from './context.ts';
import { setting } from './declare.ts';
import { emitExpression } from './emit-expression.ts';
import { fabricHeader, proxyText } from './fabric-fence.ts';
import { GinCall } from './gin-call.ts';
import { needs, type DeviceFeature } from './first-versions.ts';
import { bare } from './parentheses.ts';

const SESSION = 'cft.session';

/** NCCL's class, and the ways to call its methods. */
const CLASS = 'ncclCft';

/** The arguments of a method after its group, as a list. */
type Spelling = (call: GinCall) => readonly string[];

const rest: Spelling = (call) => Array.from({ length: call.left }, () => call.next());

interface Method {
  readonly feature: DeviceFeature;
  readonly args: Spelling;
  readonly waits?: true;
}

const methods: Readonly<Record<string, Method>> = {
  put: { feature: 'cft', args: rest },
  putCpMask: { feature: 'cft', args: rest },
  putMultimem: { feature: 'cft', args: rest },
  putMultimemCpMask: { feature: 'cft', args: rest },
  get: { feature: 'cft', args: rest },
  putCounted: { feature: 'cftCounted', args: rest },
  putMultimemCounted: { feature: 'cftCounted', args: rest },
  red: { feature: 'cft', args: reduction },
  redMultimem: { feature: 'cft', args: reduction },
  redCounted: { feature: 'cftCounted', args: reduction },
  redMultimemCounted: { feature: 'cftCounted', args: reduction },
  pullRed: { feature: 'cft', args: warpReduction },
  submit: { feature: 'cft', args: rest },
  flush: { feature: 'cft', args: rest, waits: true },
  flushSmem: { feature: 'cft', args: rest, waits: true },
  waitCounted: { feature: 'cftCounted', args: counted, waits: true },
};

/** By query: NCCL's function, and its arguments before the results. */
const queries: Readonly<Record<string, { readonly name: string; readonly args: Spelling }>> = {
  'cft.leInfo': {
    name: 'ncclGetCftLeInfo',
    args: (call) => [call.next(), call.next(), call.next(), call.team(), call.next()],
  },
  'cft.peerLeInfo': { name: 'ncclGetPeerLeInfo', args: rest },
  'cft.multimemLeInfo': { name: 'ncclGetMultimemLeInfo', args: rest },
};

/** The names of fabric calls that are emitted as calls of NCCL. */
export const cftCalls: readonly string[] = Object.freeze([
  ...Object.keys(queries),
  SESSION,
  ...Object.keys(methods).map((name) => `${SESSION}.${name}`),
  `${SESSION}.~`,
]);

export function isCftCall(s: CallStatement): boolean {
  return cftCalls.includes(s.name);
}

/** True if shared arrays must begin at addresses that fabric operations can reach. */
export function usesCft(module: Module): boolean {
  let uses = false;
  walkBody(module.body, {
    statement: (s) => {
      uses ||= s.kind === 'call' && s.name === SESSION;
    },
  });
  return uses;
}

/**
 * Emits a fabric call as a call of NCCL. A session's object is constructed in place, so that it
 * lives from its constructor to its destructor.
 *
 * @throws NcclError `NCCLTS_NOT_SUPPORTED` for features that the installed version lacks, for
 * groups that the author defined, and for waits of abortable launches.
 */
export function emitCftCall(s: CallStatement, c: CudaEmitContext): void {
  needs(c, 'cft', 'the compute fabric transport');
  for (const header of ['core', 'comm']) c.ncclIncludes.add(`nccl_device/impl/${header}__funcs.h`);
  c.ncclIncludes.add(fabricHeader);
  const call = new GinCall(s, c);
  const query = queries[s.name];
  if (query !== undefined) {
    const into = call.next();
    const id = c.namer.name('le_id');
    const offset = c.namer.name('le_offset');
    c.line(`ncclCftLeId ${id};`);
    c.line(`size_t ${offset};`);
    c.line(`${query.name}(${[...query.args(call), `&${id}`, `&${offset}`].join(', ')});`);
    c.line(`${into}[0] = ${id};`);
    c.line(`${into}[1] = ${offset};`);
  } else if (s.name === SESSION) construct(call, c);
  else emitMethod(call, c);
}

function construct(call: GinCall, c: CudaEmitContext): void {
  const { session } = call.s;
  if (session === undefined) throw new NcclError('NCCL_INTERNAL_ERROR', 'A fabric session has no number.');
  const { type: group, value } = call.group();
  const name = c.namer.name(`cft${session}`);
  const type = `${CLASS}<${group}>`;
  c.sessions.set(session, { name, type });
  c.line(`alignas(${type}) unsigned char ${name}_place[sizeof(${type})];`);
  c.line(`${type}& ${name} = *new (${name}_place) ${type}(${value}, *reinterpret_cast<ncclCftSmem*>(${call.next()}));`);
}

function emitMethod(call: GinCall, c: CudaEmitContext): void {
  const { s } = call;
  const known = s.session === undefined ? undefined : c.sessions.get(s.session);
  if (known === undefined) return;
  const name = s.name.slice(SESSION.length + 1);
  if (name === '~') {
    c.line(`${known.name}.~${CLASS}();`);
    return;
  }
  const method = methods[name];
  if (method === undefined) throw new NcclError('NCCLTS_NOT_SUPPORTED', `CUDA has no '${s.name}' yet.`);
  needs(c, method.feature, call.name);
  if (method.waits === true) call.waits();
  const text = `${known.name}.${name}(${[call.coop(), ...method.args(call)].join(', ')})`;
  c.line(s.local === undefined ? `${text};` : `${setting(s.local, c)}static_cast<unsigned int>(${text});`);
}

const opNames: Readonly<Record<string, string>> = {
  sum: 'ncclCftOpSum',
  min: 'ncclCftOpMin',
  max: 'ncclCftOpMax',
  and: 'ncclCftOpAnd',
  or: 'ncclCftOpOr',
  xor: 'ncclCftOpXor',
};

/** The types in the names of NCCL's operations. */
const elementNames: Readonly<Partial<Record<ScalarKind, string>>> = {
  u32: 'uint32_t',
  i32: 'int32_t',
  u64: 'uint64_t',
  i64: 'int64_t',
};

/** The place, the operation of its elements' type, the memory of the CTA, and the bytes. */
function reduction(call: GinCall): readonly string[] {
  const place: string[] = [];
  for (let type = call.nextType; type?.kind !== 'pointer'; type = call.nextType) place.push(call.next());
  const near = call.nextExpression();
  const op = call.word('op');
  const kind = near.type.kind === 'pointer' ? elementScalar(near.type.element) : undefined;
  // NCCL has sums of unsigned numbers only, which have the same bits.
  const element = kind === undefined ? undefined : elementNames[op === 'sum' ? unsigned(kind) : kind];
  const tag = op === undefined ? undefined : opNames[op];
  if (tag === undefined || element === undefined)
    throw new NcclError('NCCL_INTERNAL_ERROR', `A reduction of the fabric has no operation '${op}' of ${kind}.`);
  return [...place, `${tag}<${element}>{}`, bare(emitExpression(near, call.c)), call.next()];
}

/** The same for a reduction that NCCL takes only from the threads of a warp. */
function warpReduction(call: GinCall): readonly string[] {
  if (call.group().type !== 'ncclCoopWarp') {
    throw call.refused('is for another group than a warp; pass coopWarp()');
  }
  return reduction(call);
}

function unsigned(kind: ScalarKind): ScalarKind {
  return kind === 'i32' ? 'u32' : kind === 'i64' ? 'u64' : kind;
}

/** The order, the consumer, the counter in NCCL's own type, the number, and a limit or no abort. */
function counted(call: GinCall): readonly string[] {
  const consumer = call.word('consumer') === 'fabric' ? 'fabric' : 'generic';
  const counter = `reinterpret_cast<uint64_t*>(${call.next()})`;
  const expected = call.next();
  const limit = call.left === 0 ? 'static_cast<uint32_t*>(nullptr)' : `uint64_t(${call.next()})`;
  return [call.order().text, proxyText[consumer], counter, expected, limit];
}
