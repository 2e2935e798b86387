import {
  binary,
  builtin,
  compare,
  constant,
  convert,
  elementScalar,
  field,
  mapBody,
  math,
  scalarType,
  type BodyMapper,
  type Expression,
  type Statement,
} from '@nccl-ts/ir';
import type { BackendMutant } from './mutant.ts';
import { rewriteModules } from './rewrite-modules.ts';

const i32 = scalarType('i32');
const u32 = scalarType('u32');
const i64 = scalarType('i64');
const f32 = scalarType('f32');
const bf16 = scalarType('bf16');

function kernelMutant(
  id: string,
  does: string,
  caughtBy: BackendMutant['caughtBy'],
  mapper: BodyMapper,
): BackendMutant {
  return Object.freeze({
    id,
    does,
    caughtBy,
    mutate: (backend) => rewriteModules(backend, mapper),
  } satisfies BackendMutant);
}

/** Maps the expressions of one kind, and does not change others. */
function expressions<K extends Expression['kind']>(
  kind: K,
  map: (e: Extract<Expression, { kind: K }>) => Expression,
): BodyMapper {
  const isOfKind = (e: Expression): e is Extract<Expression, { kind: K }> => e.kind === kind;
  return { expression: (e) => (isOfKind(e) ? map(e) : e) };
}

function statements<K extends Statement['kind']>(
  kind: K,
  map: (s: Extract<Statement, { kind: K }>) => Statement | readonly Statement[],
): BodyMapper {
  const isOfKind = (s: Statement): s is Extract<Statement, { kind: K }> => s.kind === kind;
  return { statement: (s) => (isOfKind(s) ? map(s) : s) };
}

function isBarrierEnd(s: Statement): s is Extract<Statement, { kind: 'call' }> {
  return s.kind === 'call' && s.name === 'lsa.barrierSession.~';
}

function isReceive(s: Statement): s is Extract<Statement, { kind: 'call' }> {
  return s.kind === 'call' && s.name.startsWith('llA2A.session.recv');
}

/** Loses the last bit of a saved epoch. */
const savesTooLittle: BodyMapper = statements('store', (s) => ({
  ...s,
  value: s.value.type === u32 ? binary('sub', s.value, constant('u32', 1)) : s.value,
}));

/** Mutants at the level of the kernel, like a bug in an emitter. */
export const kernelMutants: readonly BackendMutant[] = Object.freeze([
  kernelMutant(
    'epochs-are-forgotten',
    'ends a barrier session without saving its epoch',
    ['barriers/epochs/across-launches', 'barriers/sessions/in-turn', 'barriers/epochs/wrap-around'],
    { statement: (s) => (isBarrierEnd(s) ? [] : s) },
  ),
  kernelMutant(
    'epochs-fall-behind',
    'saves an epoch that is too small by one',
    ['barriers/epochs/across-launches', 'barriers/epochs/per-cta'],
    {
      statement: (s) => (isBarrierEnd(s) && s.body !== undefined ? { ...s, body: mapBody(s.body, savesTooLittle) } : s),
    },
  ),
  kernelMutant(
    'values-are-not-awaited',
    'reads an all-to-all slot without waiting for its data',
    ['ll-a2a/epochs/many', 'll-a2a/receiving/bcast', 'll-a2a/reducing/in-order'],
    {
      statement: (s) =>
        isReceive(s) && s.body !== undefined
          ? { ...s, body: mapBody(s.body, { statement: (inner) => (inner.kind === 'wait' ? [] : inner) }) }
          : s,
    },
  ),
  kernelMutant(
    'epochs-do-not-wrap',
    'compares epochs as plain numbers',
    ['barriers/epochs/wrap-around'],
    expressions('compare', (e) => {
      const rolls =
        e.op === 'le' && e.right.kind === 'constant' && e.right.value === 0x7fffffff && e.left.kind === 'binary';
      return rolls && e.left.op === 'sub' ? compare('ge', e.left.left, e.left.right) : e;
    }),
  ),
  kernelMutant(
    'barriers-are-open',
    'skips the waits of barriers',
    ['barriers/order/acq-rel', 'barriers/arrive-wait', 'waiting/wait-all'],
    statements('waitAll', () => []),
  ),
  kernelMutant(
    'waits-for-nobody',
    'continues without waiting for a flag',
    ['waiting/token-ring', 'waiting/cta-chain', 'waiting/spin-loops'],
    statements('wait', (s) => ({ ...s, condition: constant('bool', true) })),
  ),
  kernelMutant(
    'no-meeting-of-the-cta',
    'drops coop.sync',
    ['memory/shared-arrays', 'coops/sync'],
    statements('sync', () => []),
  ),
  kernelMutant(
    'loses-a-store',
    'drops stores of constants',
    ['language/early-return', 'conversions/integer-literals'],
    statements('store', (s) => (s.value.kind === 'constant' ? [] : s)),
  ),
  kernelMutant(
    'own-memory-only',
    'uses the rank itself for every peer',
    ['windows/lsa-pointer', 'windows/peer-pointer', 'windows/store-to-peers'],
    expressions('windowPointer', (e) => ({ ...e, peer: field(e.window, 'lsaRank', i32) })),
  ),
  kernelMutant(
    'offsets-are-nothing',
    'begins every pointer at the start of its window',
    ['windows/byte-offsets', 'windows/sym-ptr'],
    expressions('windowPointer', (e) => ({ ...e, offset: constant('addr', 0) })),
  ),
  kernelMutant(
    'multicast-reaches-one',
    'reads and writes only the first of the copies behind a multicast address',
    ['multimem/load-reduce/u32', 'multimem/store/f32', 'multimem/reduce/bf16', 'multimem/teams'],
    expressions('multicastSize', () => constant('i32', 1)),
  ),
  kernelMutant(
    'multicast-forgets-its-offset',
    'begins every multicast address at the start of its window',
    ['multimem/pointers', 'multimem/teams'],
    expressions('multicastPointer', (e) => ({ ...e, offset: constant('addr', 0) })),
  ),
  kernelMutant(
    'sums-are-narrow',
    'adds f32 up in bf16',
    ['multimem/load-reduce/f16', 'multimem/load-reduce/bf16'],
    expressions('binary', (e) => (e.op === 'add' && e.type === f32 ? convert(f32, convert(bf16, e)) : e)),
  ),
  kernelMutant(
    'shifts-without-sign',
    'shifts zeros into negative numbers',
    ['scalars/i32/arithmetic', 'scalars/i8/arithmetic'],
    expressions('binary', (e) => {
      if (e.op !== 'shr' || e.type !== i32) return e;
      return convert(i32, binary('shr', convert(u32, e.left), convert(u32, e.right)));
    }),
  ),
  kernelMutant(
    'conversions-wrap',
    'converts floats to small integers without saturation',
    ['conversions/f32-to-integers', 'conversions/f64-to-integers'],
    expressions('convert', (e) => {
      const from = e.operand.type;
      const isFloat = from.kind === 'scalar' && (from.scalar === 'f32' || from.scalar === 'f64');
      return isFloat && e.type.kind === 'scalar' && e.type.scalar === 'i8'
        ? convert(e.type, convert(i64, e.operand))
        : e;
    }),
  ),
  kernelMutant(
    'fma-rounds-twice',
    'rounds between the product and the sum of an fma',
    ['scalars/f32/arithmetic', 'scalars/f16/arithmetic'],
    expressions('math', (e) => {
      const [a, b, c] = e.args;
      return e.function === 'fma' && a && b && c ? binary('add', binary('mul', a, b), c) : e;
    }),
  ),
  kernelMutant(
    'products-contract',
    'fuses a product and a sum that the source separates',
    ['scalars/f32/arithmetic', 'scalars/bf16/arithmetic'],
    expressions('binary', (e) => {
      const isFloat = (e.type.kind === 'scalar' || e.type.kind === 'vector') && /f/.test(elementScalar(e.type));
      const { left } = e;
      return isFloat && e.op === 'add' && left.kind === 'binary' && left.op === 'mul'
        ? math('fma', [left.left, left.right, e.right])
        : e;
    }),
  ),
  kernelMutant(
    'one-block',
    'gives every CTA the index 0',
    ['language/grid-stride', 'language/three-dimensions', 'memory/shared-arrays'],
    expressions('builtin', (e) => (e.builtin === 'blockIdx.x' ? constant('u32', 0) : e)),
  ),
  kernelMutant(
    'cas-does-not-compare',
    'stores without comparing the previous value',
    ['atomics/u32', 'atomics/i64'],
    statements('atomic', (s) => {
      if (s.op !== 'cas') return s;
      const { kind, pointer, value, access, span, local } = s;
      return { kind, op: 'exch', pointer, value, access, span, ...(local === undefined ? {} : { local }) };
    }),
  ),
  kernelMutant(
    'any-means-all',
    'votes with all threads where one suffices',
    ['warp/votes', 'coops/bcast-any-all'],
    statements('collective', (s) => ({ ...s, op: s.op === 'any' ? 'all' : s.op })),
  ),
  kernelMutant(
    'shuffles-go-the-other-way',
    'reads the lane above instead of the lane below',
    ['warp/shuffles'],
    statements('collective', (s) => ({ ...s, op: s.op === 'shflUp' ? 'shflDown' : s.op })),
  ),
  kernelMutant(
    'broadcasts-from-the-first',
    'ignores the root of a broadcast',
    ['coops/bcast-any-all'],
    statements('collective', (s) => (s.op === 'bcast' ? { ...s, lane: constant('u32', 0) } : s)),
  ),
  kernelMutant(
    'threads-in-a-line',
    'knows no threadIdx.y',
    ['language/three-dimensions'],
    expressions('builtin', (e) => (e.builtin === 'threadIdx.y' ? builtin('threadIdx.x') : e)),
  ),
]);
