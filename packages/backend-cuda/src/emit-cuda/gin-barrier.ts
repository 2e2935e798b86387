import type { CudaEmitContext, NativeSession } from './context.ts';
import { setting } from './declare.ts';
import type { GinCall } from './gin-call.ts';
import { has, needs } from './first-versions.ts';

/** The header of NCCL's class. */
export const ginBarrierHeader = 'nccl_device/impl/gin_barrier__funcs.h';

/** Emits the constructor and `sync` of a barrier over the network. */
export function emitGinBarrier(call: GinCall, c: CudaEmitContext): void {
  const { session } = call.s;
  if (session === undefined) return;
  if (!call.s.name.endsWith('.sync')) {
    construct(call, session, c);
    return;
  }
  const known = c.sessions.get(session);
  if (known === undefined) return;
  const group = call.group();
  if (known.type !== sessionType(group.type)) throw call.refused("is used by a group other than the session's");
  const level = call.word('fence') ?? 'putGet';
  const given = [group.value, call.order('seq_cst').text];
  call.waits();
  if (call.left === 0) {
    c.line(`${known.name}.sync(${[...given, fence(call, level)].join(', ')});`);
    return;
  }
  needs(c, 'barrierTimeouts', 'a GIN barrier with a time limit');
  const { local } = call.s;
  const text = `${known.name}.sync(${[...given, fence(call, beforeGets[level] ?? level), call.next()].join(', ')})`;
  c.line(local === undefined ? `${text};` : `${setting(local, c)}static_cast<unsigned int>(${text});`);
  if (beforeGets[level] !== undefined) flushGets(call, known, group.value, c);
}

/** The rest of a fence, without the part for gets. */
const beforeGets: Readonly<Record<string, string>> = { putGet: 'put', get: 'none' };

/**
 * Emits the fence for gets, by the whole group. If a barrier times out in NCCL 2.30.7, threads that
 * have given up may miss the flush in which the others of their group synchronize, which then
 * hangs.
 */
function flushGets(call: GinCall, { fenced }: NativeSession, group: string, c: CudaEmitContext): void {
  if (fenced === undefined) return;
  const order = call.word('order') ?? 'seq_cst';
  const acquired = order === 'relaxed' || order === 'release' ? 'relaxed' : 'acquire';
  c.line(`${fenced}.flush(${group}, cuda::memory_order_${acquired});`);
  c.line(`${group}.sync();`);
}

/**
 * comm, index, sharing, the barrier's index, then a team (nRanks, rank, stride) and a handle
 * (signal0) if given.
 */
function construct(call: GinCall, session: number, c: CudaEmitContext): void {
  c.ncclIncludes.add(ginBarrierHeader);
  const { comm } = call;
  const net = call.net();
  const world = call.word('tag') === 'world';
  const index = call.next();
  const ownTeam = call.left >= 3 ? call.team() : undefined;
  const ownHandle = call.left > 0 ? call.next() : undefined;
  const own = ownTeam !== undefined || ownHandle !== undefined;
  if (world && ownHandle === undefined) needs(c, 'worldBarriers', 'GIN barriers of the world');
  if (ownHandle !== undefined) needs(c, 'barrierHandles', 'a handle of GIN barriers');
  const all = call.flag('allContexts');
  if (all) needs(c, 'allContexts', 'a GIN barrier over all contexts');
  const place = own
    ? [
        ownTeam ?? `ncclTeam${world ? 'World' : 'Rail'}(${comm})`,
        ownHandle === undefined
          ? `${comm}.${world ? 'world' : 'rail'}GinBarrier`
          : `ncclGinBarrierHandle{${ownHandle}}`,
      ]
    : [`ncclTeamTag${world ? 'World' : 'Rail'}()`];
  const { type, value } = call.group();
  const name = c.namer.name(`bar${session}`);
  const each = `for (int context = 0; context < ${comm}.ginContextCount; context++) ncclGin(${comm}, context)`;
  c.sessions.set(session, { name, type: sessionType(type), fenced: all ? each : net });
  const args = [value, all ? `ncclGinAllContexts(${comm})` : net, ...place, index];
  // C++ ends it at the end of its block. Since 2.29.7 nothing happens there.
  c.line(`${sessionType(type)} ${name}(${args.join(', ')});`);
}

/** Returns the barrier's fence for requests. */
function fence(call: GinCall, level: string): string {
  // An alias of None in versions that have other levels.
  if (level === 'none') return `ncclGinFenceLevel::${has(call.c, 'fences') ? 'None' : 'Relaxed'}`;
  needs(call.c, 'fences', `a GIN barrier with the fence '${level}'`, "It supports 'none', which only synchronizes.");
  const levels = level === 'putGet' ? ['Put', 'Get'] : [level === 'put' ? 'Put' : 'Get'];
  return levels.map((one) => `ncclGinFenceLevel::${one}`).join(' | ');
}

function sessionType(group: string): string {
  return `ncclGinBarrierSession<${group}>`;
}
