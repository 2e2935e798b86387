import { at, NcclError } from '@nccl-ts/core';
import { walkBody, type CallStatement, type Coop, type Module, type Static } from '@nccl-ts/ir';
import type { EmitCudaOptions } from '../cuda-source.ts';
import type { CudaEmitContext } from './context.ts';
import { cppType } from './cpp-type.ts';
import { setting } from './declare.ts';
import { nativeCoop } from './emit-coop.ts';
import { emitExpression } from './emit-expression.ts';
import { bare } from './parentheses.ts';

const SESSION = 'llA2A.session';

/** The header of NCCL's class. */
export const llA2AHeader = 'nccl_device/impl/ll_a2a__funcs.h';

export function isLLA2ACall(s: CallStatement): boolean {
  return s.name === SESSION || s.name.startsWith(`${SESSION}.`);
}

/**
 * Returns the all-to-all sessions that can use NCCL's class: those with a group that NCCL supports,
 * and without an abort word. The calls of the others run their portable bodies, which use the same
 * memory in the same way.
 */
export function nativeLLA2ASessions(module: Module, options: EmitCudaOptions): ReadonlySet<number> {
  const sessions = new Set<number>();
  if (options.abortable === true) return sessions;
  walkBody(module.body, {
    statement: (statement) => {
      if (statement.kind !== 'call' || statement.session === undefined || statement.name !== SESSION) return;
      // The groups of its other calls are not inspected, as in NCCL.
      if (!statement.statics.some((part) => part.kind === 'custom')) sessions.add(statement.session);
    },
  });
  return sessions;
}

/**
 * Emits a call of a native session. The object is constructed in place, so that it lives from its
 * constructor to its destructor.
 */
export function emitLLA2ACall(s: CallStatement, session: number, c: CudaEmitContext): void {
  if (s.name === SESSION) {
    construct(s, session, c);
    return;
  }
  const known = c.sessions.get(session);
  if (known === undefined) return;
  const { name } = known;
  const args = s.args.map((arg) => bare(emitExpression(arg, c)));
  switch (s.name.slice(SESSION.length + 1)) {
    case 'send':
    case 'bcast':
      c.line(`${name}.${dataCall(s, args, c)};`);
      return;
    case 'recv': {
      const type = s.statics.find((part) => part.kind === 'type');
      if (type?.kind !== 'type') return;
      const into = s.local === undefined ? '' : setting(s.local, c);
      c.line(`${into}${name}.recv<${cppType(type.type)}>(${args.join(', ')});`);
      return;
    }
    case 'recvUnrolled': {
      const [start = '', count = '', stride = '', elts = ''] = args;
      const [least, most] = [requiredNumber(s, 'minEltCount'), requiredNumber(s, 'maxEltCount')];
      if (most === 0) return;
      const into = `*reinterpret_cast<${elementsType(s, c)} (*)[${most}]>(${elts})`;
      c.line(`${name}.recvUnrolled<${least}, ${most}>(${start}, ${count}, ${stride}, ${into});`);
      return;
    }
    case 'endEpoch':
      // The class synchronizes its own group, whichever the call names.
      c.line(`${name}.endEpoch(${name}.coop);`);
      return;
    case '~':
      c.line(`${name}.~ncclLLA2ASession();`);
      return;
  }
}

/**
 * comm, team (nRanks, rank, stride), handle (bufHandle, nSlots, nBlocks), block, maxElts, and
 * mmHandle (mcBasePtr) if given.
 */
function construct(s: CallStatement, session: number, c: CudaEmitContext): void {
  const coop = coopOf(s.statics);
  if (coop === undefined) return;
  for (const header of ['core', 'comm', 'ptr']) c.ncclIncludes.add(`nccl_device/impl/${header}__funcs.h`);
  c.ncclIncludes.add(llA2AHeader);
  const { type: group, value } = nativeCoop(coop, c);
  const [comm, nRanks, rank, stride, bufHandle, nSlots, , block, maxElts, mcBasePtr] = s.args.map((arg) =>
    emitExpression(arg, c),
  );
  const name = c.namer.name(`a2a${session}`);
  const type = `ncclLLA2ASession<${group}>`;
  c.sessions.set(session, { name, type });
  const team = `ncclTeam{${nRanks}, ${rank}, ${stride}}`;
  const handle = `ncclLLA2AHandle{${bufHandle}, ${nSlots}}`;
  const args = [value, comm, team, handle, block, maxElts];
  if (s.statics.some((part) => part.kind === 'number' && part.name === 'multimem' && part.number === true)) {
    const multicast =
      mcBasePtr === undefined
        ? `${comm}.lsaMultimem`
        : `ncclMultimemHandle{reinterpret_cast<void*>(${bare(mcBasePtr)})}`;
    args.push('true', multicast);
  }
  c.line(`alignas(${type}) unsigned char ${name}_place[sizeof(${type})];`);
  c.line(`${type}& ${name} = *new (${name}_place) ${type}(${args.join(', ')});`);
}

/** Emits `send` and `bcast`. The value, or a pointer to its elements, comes last. */
function dataCall(s: CallStatement, args: readonly string[], c: CudaEmitContext): string {
  const method = s.name.slice(SESSION.length + 1);
  const data = s.args.at(-1);
  const before = args.slice(0, -1).join(', ');
  if (data === undefined) return '';
  const type = elementsType(s, c);
  const text = at(args, args.length - 1);
  if (numberOf(s.statics, 'width') === undefined) return `${method}<${type}>(${before}, ${text})`;
  return `${method}<${type}>(${before}, *reinterpret_cast<${type} const*>(${text}))`;
}

/**
 * Returns the C++ type of one value: of the data itself, or of the elements to which the last
 * argument points.
 */
function elementsType(s: CallStatement, c: CudaEmitContext): string {
  const type = s.args.at(-1)?.type;
  if (type === undefined) return 'void';
  const width = numberOf(s.statics, 'width');
  const element = cppType(type.kind === 'pointer' ? type.element : type);
  if (width === undefined) return element;
  c.use('run');
  return `nts::run<${element}, ${width}>`;
}

/** @throws NcclError if the call has no such compile-time number. */
function requiredNumber(s: CallStatement, name: string): number {
  const number = numberOf(s.statics, name);
  if (number === undefined) throw new NcclError('NCCL_INTERNAL_ERROR', `The call of ${s.name} has no ${name}.`);
  return number;
}

function numberOf(statics: readonly Static[], name: string): number | undefined {
  const part = statics.find((one) => one.kind === 'number' && one.name === name);
  return part?.kind === 'number' ? Number(part.number) : undefined;
}

function coopOf(statics: readonly Static[]): Coop | undefined {
  const found = statics.find((part) => part.kind === 'coop');
  return found?.kind === 'coop' ? found.coop : undefined;
}
