import { at } from '@nccl-ts/core';
import {
  walkBody,
  type CallStatement,
  type Coop,
  type IntrinsicExpression,
  type Module,
  type Static,
} from '@nccl-ts/ir';
import type { CudaEmitContext } from './context.ts';
import { cppType } from './cpp-type.ts';
import { nativeCoop } from './emit-coop.ts';
import { emitExpression } from './emit-expression.ts';
import { has } from './first-versions.ts';
import { localAddress, lsaAddress } from './lsa-address.ts';
import { bare } from './parentheses.ts';
import type { EmitCudaOptions } from '../cuda-source.ts';

/** Returns NCCL's own call for a pure intrinsic; `undefined` if the expansion is emitted. */
export function nativeExpression(e: IntrinsicExpression, c: CudaEmitContext): string | undefined {
  const [window, offset, peer] = e.args;
  if (window === undefined || offset === undefined) return undefined;
  if (e.name === 'lsa.localPointer') return localAddress(window, offset, e.type, c);
  if (e.name === 'lsa.pointer' && peer !== undefined) return lsaAddress(window, offset, peer, e.type, c);
  const pointer = pointers[e.name];
  if (pointer === undefined) return undefined;
  c.ncclIncludes.add('nccl_device/impl/core__funcs.h');
  const args = e.args.map((arg) => bare(emitExpression(arg, c)));
  const given = e.name === 'lsa.teamPointer' ? withTeam(args) : args;
  return `static_cast<${cppType(e.type)}>(${pointer}(${given.join(', ')}))`;
}

/** A window, an offset, a team (nRanks, rank, stride) and a peer. */
function withTeam(args: readonly string[]): readonly string[] {
  return [...args.slice(0, 2), `ncclTeam{${args.slice(2, 5).join(', ')}}`, ...args.slice(5)];
}

const pointers: Readonly<Record<string, string>> = {
  'lsa.peerPointer': 'ncclGetPeerPointer',
  'lsa.teamPointer': 'ncclGetPeerPointer',
};

const SESSION = 'lsa.barrierSession';
const HEADERS = ['nccl_device/impl/core__funcs.h', 'nccl_device/impl/comm__funcs.h', 'nccl_device/impl/ptr__funcs.h'];

/** NCCL 2.28.7 renamed the header after its content. */
export function barrierHeader(c: CudaEmitContext): string {
  return `nccl_device/impl/${has(c, 'lsaBarrierHeader') ? 'lsa_barrier' : 'mem_barrier'}__funcs.h`;
}

/**
 * Returns the sessions that can use NCCL's class: those with a group that NCCL supports, without a
 * time limit, and without an abort word. Time limits are newer than the class and leave another
 * state. The calls of the others run their portable bodies.
 */
export function nativeSessions(module: Module, options: EmitCudaOptions): ReadonlySet<number> {
  const sessions = new Set<number>();
  const refused = new Set<number>();
  walkBody(module.body, {
    statement: (statement) => {
      if (statement.kind !== 'call' || statement.session === undefined || !statement.name.startsWith(SESSION)) return;
      sessions.add(statement.session);
      const own = statement.statics.some((part) => part.kind === 'custom');
      const timed = statement.name !== SESSION && statement.args.length > 0;
      if (own || timed || options.abortable === true) refused.add(statement.session);
    },
  });
  // If a group's lanes are a run-time expression, its type at the constructor cannot be the one at
  // another call.
  return new Set([...sessions].filter((session) => !refused.has(session)));
}

/**
 * Emits a call of a native session. The object is constructed in place, so that it lives from its
 * constructor to its destructor.
 */
export function emitNativeSession(s: CallStatement, session: number, c: CudaEmitContext): void {
  const coop = coopOf(s.statics);
  if (s.name === SESSION && coop !== undefined) {
    for (const header of [...HEADERS, barrierHeader(c)]) c.ncclIncludes.add(header);
    const { type: group, value } = nativeCoop(coop, c);
    const name = c.namer.name(`bar${session}`);
    const type = `ncclLsaBarrierSession<${group}>`;
    c.sessions.set(session, { name, type });
    c.line(`alignas(${type}) unsigned char ${name}_place[sizeof(${type})];`);
    c.line(`${type}& ${name} = *new (${name}_place) ${type}(${[value, ...constructorArgs(s, c)].join(', ')});`);
    return;
  }
  const known = c.sessions.get(session);
  if (known === undefined) return;
  if (s.name === `${SESSION}.~`) {
    c.line(`${known.name}.~ncclLsaBarrierSession();`);
    return;
  }
  const method = s.name.slice(SESSION.length + 1);
  const order = s.statics.find((part) => part.kind === 'word');
  const group = coop === undefined ? 'ncclCoopCta()' : nativeCoop(coop, c).value;
  c.line(`${known.name}.${method}(${group}, cuda::memory_order_${order?.kind === 'word' ? order.word : 'seq_cst'});`);
}

/**
 * comm, index, then a team (nRanks, rank, stride), a handle (bufHandle, nBarriers) and a multimem
 * handle (mcBasePtr) if given. Of these, only the last one is an address.
 */
function constructorArgs(s: CallStatement, c: CudaEmitContext): readonly string[] {
  const [comm = '', index = '', ...rest] = s.args.map((arg) => emitExpression(arg, c));
  const last = s.args.at(-1)?.type;
  const ownMultimem = last?.kind === 'scalar' && last.scalar === 'addr';
  const more = ownMultimem ? rest.slice(0, -1) : rest;
  const multimem = s.statics.some((part) => part.kind === 'number' && part.name === 'multimem' && part.number === true);
  if (more.length === 0 && !ownMultimem) return [comm, 'ncclTeamTagLsa()', index, ...(multimem ? ['true'] : [])];
  const team = more.length >= 3 ? `ncclTeam{${more.slice(0, 3).join(', ')}}` : `ncclTeamLsa(${comm})`;
  const handle =
    more.length === 2 || more.length === 5
      ? `ncclLsaBarrierHandle{${more.slice(-2).join(', ')}}`
      : `${comm}.lsaBarrier`;
  if (!multimem) return [comm, team, handle, index];
  const group = ownMultimem
    ? `ncclMultimemHandle{reinterpret_cast<void*>(${bare(at(rest, rest.length - 1))})}`
    : `${comm}.lsaMultimem`;
  return [comm, team, handle, index, 'true', group];
}

function coopOf(statics: readonly Static[]): Coop | undefined {
  const found = statics.find((part) => part.kind === 'coop');
  return found?.kind === 'coop' ? found.coop : undefined;
}
