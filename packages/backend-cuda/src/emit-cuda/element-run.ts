import { scalarInfo, type AccessScope } from '@nccl-ts/core';
import type { Body, Expression, LoadStatement, Statement, StoreStatement } from '@nccl-ts/ir';
import type { CudaEmitContext } from './context.ts';
import { byteSize, cppType } from './cpp-type.ts';
import { setting } from './declare.ts';
import { emitExpression } from './emit-expression.ts';
import { bare } from './parentheses.ts';

/**
 * Relaxed accesses to all elements of one vector in memory, in order. The kernel language makes
 * them from one relaxed access to the vector.
 */
export type ElementRun = readonly [LoadStatement, ...LoadStatement[]] | readonly [StoreStatement, ...StoreStatement[]];

const scopes: Readonly<Record<AccessScope, string | undefined>> = {
  // PTX has no scope of a single thread.
  thread: undefined,
  block: 'cta',
  cluster: 'cluster',
  device: 'gpu',
  system: 'sys',
};

/**
 * Returns the run of accesses that starts with statement `first`; `undefined` if there is none.
 *
 * One PTX instruction may replace the run, because a relaxed access to a vector is defined as one
 * access to each element, in no order. The alignment is that of the vector's own pointer.
 */
export function elementRun(body: Body, first: number): ElementRun | undefined {
  const begin = body[first];
  const vectorElement = vectorElementOf(begin);
  if (
    begin === undefined ||
    vectorElement === undefined ||
    vectorElement.index !== 0 ||
    !hasInstruction(vectorElement, begin)
  )
    return undefined;
  const run = body.slice(first, first + vectorElement.width);
  if (run.length < vectorElement.width || !run.every((next, i) => continues(next, i, begin, vectorElement)))
    return undefined;
  const [head, ...others] = run;
  if (head?.kind === 'load') return [head, ...others.filter((next) => next.kind === 'load')];
  if (head?.kind === 'store') return [head, ...others.filter((next) => next.kind === 'store')];
  return undefined;
}

/** The vector, and the element of it that is accessed. */
interface VectorElement {
  readonly vector: Expression;
  readonly index: number;
  readonly width: number;
}

function vectorElementOf(s: Statement | undefined): VectorElement | undefined {
  if ((s?.kind !== 'load' && s?.kind !== 'store') || s.access?.order !== 'relaxed') return undefined;
  const { pointer } = s;
  const isLater = pointer.kind === 'pointerOffset';
  const cast = isLater ? pointer.pointer : pointer;
  if (cast.kind !== 'pointerCast' || cast.type.element.kind !== 'scalar') return undefined;
  const vector = cast.pointer;
  if (vector.kind !== 'local' || vector.type.kind !== 'pointer' || vector.type.element.kind !== 'vector')
    return undefined;
  const { element, width } = vector.type.element;
  if (element !== cast.type.element.scalar) return undefined;
  if (!isLater) return { vector, index: 0, width };
  return pointer.index.kind === 'constant' ? { vector, index: Number(pointer.index.value), width } : undefined;
}

/**
 * True if PTX has an instruction for the vector. PTX moves vectors of two or four elements and of
 * at most 16 bytes. Vectors of smaller elements are left unchanged.
 */
function hasInstruction({ vector, width }: VectorElement, s: Statement): boolean {
  if ((s.kind !== 'load' && s.kind !== 'store') || s.access === undefined) return false;
  if (scopes[s.access.scope] === undefined || vector.type.kind !== 'pointer') return false;
  const { element, space } = vector.type;
  if (element.kind !== 'vector' || space === 'local') return false;
  const { bytes } = scalarInfo[element.element];
  return (width === 2 || width === 4) && bytes >= 4 && byteSize(element) <= 16;
}

function continues(next: Statement, i: number, begin: Statement, { vector }: VectorElement): boolean {
  const vectorElement = vectorElementOf(next);
  return (
    vectorElement !== undefined &&
    next.kind === begin.kind &&
    vectorElement.index === i &&
    isSameLocal(vectorElement.vector, vector) &&
    scopeOf(next) === scopeOf(begin)
  );
}

function isSameLocal(a: Expression, b: Expression): boolean {
  return a.kind === 'local' && b.kind === 'local' && a.local === b.local;
}

function scopeOf(s: Statement): AccessScope | undefined {
  return s.kind === 'load' || s.kind === 'store' ? s.access?.scope : undefined;
}

/** Emits a run as one instruction. */
export function emitElementRun(run: ElementRun, c: CudaEmitContext): void {
  const [first] = run;
  const vectorElement = vectorElementOf(first);
  const scope = first.access === undefined ? undefined : scopes[first.access.scope];
  if (vectorElement === undefined || scope === undefined || vectorElement.vector.type.kind !== 'pointer') return;
  const { element } = vectorElement.vector.type;
  const bits = (8 * byteSize(element)) / vectorElement.width;
  c.use('vec');
  c.use('bitcast');
  const at = emitExpression(vectorElement.vector, c);
  if (isLoads(run)) {
    const name = c.namer.name('line');
    c.line(`const auto ${name} = nts::${loadFunction(scope, vectorElement.width, bits, c)}(${at});`);
    run.forEach(({ local, pointer }, i) => {
      const type = pointer.type.kind === 'pointer' ? cppType(pointer.type.element) : 'void';
      c.line(`${setting(local, c)}nts::bitcast<${type}>(${name}.v[${i}]);`);
    });
    return;
  }
  const values = run.map(({ value }) => `nts::bitcast<${wordType(bits)}>(${bare(emitExpression(value, c))})`);
  c.line(`nts::${storeFunction(scope, vectorElement.width, bits, c)}(${at}, ${values.join(', ')});`);
}

function isLoads(run: ElementRun): run is readonly [LoadStatement, ...LoadStatement[]] {
  return run[0].kind === 'load';
}

function wordType(bits: number): string {
  return bits === 64 ? 'unsigned long long' : 'unsigned int';
}

const numbers = (width: number): readonly number[] => Array.from({ length: width }, (_, i) => i);

function loadFunction(scope: string, width: number, bits: number, c: CudaEmitContext): string {
  const name = `load_${scope}_v${width}_b${bits}`;
  const [word, letter] = [wordType(bits), bits === 64 ? 'l' : 'r'];
  const places = numbers(width).map((i) => `%${i}`);
  const outputs = numbers(width).map((i) => `"=${letter}"(r.v[${i}])`);
  c.functions.set(
    name,
    `__device__ __forceinline__ vec<${word}, ${width}> ${name}(void const* p) {
  vec<${word}, ${width}> r;
  asm volatile("ld.relaxed.${scope}.v${width}.b${bits} {${places.join(', ')}}, [%${width}];" : ${outputs.join(', ')} : "l"(p) : "memory");
  return r;
}`,
  );
  return name;
}

function storeFunction(scope: string, width: number, bits: number, c: CudaEmitContext): string {
  const name = `store_${scope}_v${width}_b${bits}`;
  const [word, letter] = [wordType(bits), bits === 64 ? 'l' : 'r'];
  const params = numbers(width).map((i) => `${word} x${i}`);
  const places = numbers(width).map((i) => `%${i + 1}`);
  const inputs = numbers(width).map((i) => `"${letter}"(x${i})`);
  c.functions.set(
    name,
    `__device__ __forceinline__ void ${name}(void* p, ${params.join(', ')}) {
  asm volatile("st.relaxed.${scope}.v${width}.b${bits} [%0], {${places.join(', ')}};" :: "l"(p), ${inputs.join(', ')} : "memory");
}`,
  );
  return name;
}
