import type { CallStatement } from '@nccl-ts/ir';
import { NcclError } from '@nccl-ts/core';
import type { CudaEmitContext } from './context.ts';
import { setting } from './declare.ts';
import { proxyText } from './fabric-fence.ts';
import { GinCall } from './gin-call.ts';
import { needs } from './first-versions.ts';

/** The header with the barriers of the compute fabric. */
export const cftBarrierHeader = 'nccl_device/impl/cft_barrier__funcs.h';

const SESSION = 'cft.barrierSession';
const CLASS = 'ncclCftBarrierSession';

const methods = ['arrive', 'wait', 'sync', '~'] as const;

/** The names of the calls of CFT barriers, all of which are written in NCCL's words. */
export const cftBarrierCalls: readonly string[] = Object.freeze([
  SESSION,
  ...methods.map((method) => `${SESSION}.${method}`),
]);

export function isCftBarrierCall(s: CallStatement): boolean {
  return cftBarrierCalls.includes(s.name);
}

/**
 * A call of a CFT barrier as a call of NCCL. A session's object is built in place, so that it lives
 * from its constructor to its destructor.
 *
 * Throws `NCCLTS_NOT_SUPPORTED` for versions without CFT, for the author's own groups, for another
 * group than the session's, and for waits of abortable launches.
 */
export function emitCftBarrierCall(s: CallStatement, c: CudaEmitContext): void {
  needs(c, 'cft', 'the barriers of the compute fabric transport');
  for (const header of ['core', 'comm', 'ptr']) c.ncclIncludes.add(`nccl_device/impl/${header}__funcs.h`);
  c.ncclIncludes.add(cftBarrierHeader);
  const call = new GinCall(s, c);
  const { session } = s;
  if (session === undefined) throw new NcclError('NCCL_INTERNAL_ERROR', 'A CFT barrier has no number.');
  if (s.name === SESSION) {
    const { type: group, value } = call.group();
    const name = c.namer.name(`cftBar${session}`);
    const type = `${CLASS}<${group}>`;
    c.sessions.set(session, { name, type });
    const args = [value, call.next(), call.next(), ...(call.flag('multimem') ? ['true'] : [])];
    c.line(`alignas(${type}) unsigned char ${name}_place[sizeof(${type})];`);
    c.line(`${type}& ${name} = *new (${name}_place) ${type}(${args.join(', ')});`);
    return;
  }
  const known = c.sessions.get(session);
  if (known === undefined) return;
  const method = s.name.slice(SESSION.length + 1);
  if (method === '~') {
    c.line(`${known.name}.~${CLASS}();`);
    return;
  }
  const { type: group, value } = call.group();
  if (known.type !== `${CLASS}<${group}>`) {
    throw call.refused("is for another group than its session's; pass the same one");
  }
  if (method !== 'arrive') call.waits();
  const proxies = ['producer', 'consumer'].map(
    (name) => proxyText[call.word(name) === 'fabric' ? 'fabric' : 'generic'],
  );
  const limit = call.left === 0 ? [] : [`uint64_t(${call.next()})`];
  const text = `${known.name}.${method}(${[value, call.order().text, ...proxies, ...limit].join(', ')})`;
  c.line(s.local === undefined ? `${text};` : `${setting(s.local, c)}static_cast<unsigned int>(${text});`);
}
